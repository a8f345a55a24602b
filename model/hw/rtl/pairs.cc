#include <Vdma_queue_engine.h>
#include <Vpsum_bank.h>
#include <Vsbuf_bank_group.h>
#include <verilated_fst_c.h>

#include <cstdlib>
#include <map>

#include "model/hw/rtl/detail/dma_queue_engine_twin.h"
#include "model/hw/rtl/detail/pair.h"
#include "model/hw/rtl/detail/psum_bank_twin.h"
#include "model/hw/rtl/detail/sbuf_bank_group_twin.h"

namespace spillway::detail {
namespace {

using Key = std::pair<RtlModule, TwinShape>;

template <class Rtl, class Twin>
void Add(std::map<Key, Pair>& pairs, RtlModule module, TwinShape shape,
         const typename Twin::Shape& parameters) {
  const std::string name =
      std::string(RtlModuleName(module)) + (shape == TwinShape::kSame ? "" : "_with_another_twin");
  auto rtl = std::make_unique<Rtl>(sc_core::sc_module_name(name.c_str()));
  auto twin = std::make_unique<Twin>(sc_core::sc_module_name((name + "_twin").c_str()), parameters);
  Pair& pair = pairs[{module, shape}];
  pair.pins = std::make_unique<PinTable>(*rtl, *twin);
  pair.attach = [model = rtl.get()](VerilatedFstC* trace) {
    constexpr int kAllLevels = 99;
    model->trace(trace, kAllLevels);
  };
  pair.rtl = std::move(rtl);
  pair.twin = std::move(twin);
}

std::map<Key, Pair> Elaborate() {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  // What no reset sets starts at random, the memories too, so that nobody gets by with a lucky
  // zero.
  constexpr int kRandomBits = 2;
  Verilated::randReset(kRandomBits);
  Verilated::randSeed(20261130);
  Verilated::traceEverOn(true);  // only makes a later trace possible; must come before the models
  std::map<Key, Pair> pairs;
  const auto add = [&pairs]<class Rtl, class Twin>(RtlModule module, const auto& same,
                                                   const auto& other) {
    Add<Rtl, Twin>(pairs, module, TwinShape::kSame, same);
    Add<Rtl, Twin>(pairs, module, TwinShape::kOther, other);
  };
  using Sbuf = SbufBankGroupTwin::Shape;
  add.template operator()<Vsbuf_bank_group, SbufBankGroupTwin>(RtlModule::kSbufBankGroup, Sbuf{},
                                                               Sbuf{.answers = 3});
  using Psum = PsumBankTwin::Shape;
  add.template operator()<Vpsum_bank, PsumBankTwin>(RtlModule::kPsumBank, Psum{},
                                                    Psum{.adder_cycles = 3});
  using Dma = DmaQueueEngineTwin::Shape;
  add.template operator()<Vdma_queue_engine, DmaQueueEngineTwin>(RtlModule::kDmaQueueEngine, Dma{},
                                                                 Dma{.ring = 4});
  return pairs;
}

}  // namespace

Pair& PairOf(RtlModule module, TwinShape shape) {
  // Never destroyed: SystemC's own globals may go first.
  static std::map<Key, Pair>& pairs = *new std::map<Key, Pair>(Elaborate());
  return pairs.at({module, shape});
}

}  // namespace spillway::detail
