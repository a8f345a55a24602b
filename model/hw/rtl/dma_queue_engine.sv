// One DMA queue on one DMA engine: a ring of descriptors, an issue floor, a completion semaphore.
// The host writes descriptors into slots of the ring and rings the doorbell with the new tail (a
// slot number with one more bit, so that a full ring differs from an empty one). The engine takes
// descriptors in order, copies their bytes through a read and a write port in beats, and adds one
// to the semaphore once a descriptor with `last` (the end of a transfer) has written all its bytes
// and used up its time. A transfer starts at the earliest `time_issue` cycles after the one before.
//
// Time of a descriptor without memory stalls, in cycles: the smallest number k >= 1 with
//   k * time_credit >= time_floor   and   k * time_credit >= time_fixed + bytes * time_byte
// so that a rate needs no division: all four are multiples of one small amount of work. A cycle in
// which a beat is due and the memory doesn't take it pays for the floor only.
// A full beat must take a cycle or more (BEAT * time_byte >= time_credit), and time_credit isn't 0.
//
// Faults stay until reset: `fault_doorbell` if a tail would overrun the ring or go backwards (that
// tail is ignored); `fault_poison` if the next descriptor was never written (the queue stops).
// Outputs depend on registers alone. Reset poisons the ring and takes over the times.
`default_nettype none
module dma_queue_engine #(
    parameter int RING = 8,    // slots, a power of two
    parameter int BEAT = 32,   // bytes, a power of two
    parameter int SEMAPHORE = 8,
    localparam int SW = $clog2(RING),
    localparam int BW = $clog2(BEAT)
) (
    input  wire                  clk,
    input  wire                  rst,
    // Times, taken over by the reset; no matter at any other time.
    input  wire  [         31:0] time_credit,
    input  wire  [         15:0] time_byte,
    input  wire  [         31:0] time_fixed,
    input  wire  [         31:0] time_floor,
    input  wire  [         15:0] time_issue,
    // Ring
    input  wire                  slot_valid,
    input  wire  [       SW-1:0] slot_index,
    input  wire  [         15:0] slot_bytes,
    input  wire  [         15:0] slot_source,
    input  wire  [         15:0] slot_destination,
    input  wire                  slot_last,
    input  wire                  doorbell_valid,
    input  wire  [         SW:0] doorbell_tail,
    output logic [         SW:0] head,
    // Memory: data comes in the cycle in which a read is taken. Beyond the bytes of a beat,
    // write_data is what read_data was.
    output logic                 read_valid,
    input  wire                  read_ready,
    output logic [         15:0] read_address,
    output logic [         BW:0] read_bytes,
    input  wire  [   8*BEAT-1:0] read_data,
    output logic                 write_valid,
    input  wire                  write_ready,
    output logic [         15:0] write_address,
    output logic [         BW:0] write_bytes,
    output logic [   8*BEAT-1:0] write_data,
    // Progress
    output logic                 active,
    output logic [SEMAPHORE-1:0] semaphore_value,
    output logic                 fault_doorbell,
    output logic                 fault_poison
);
  localparam logic [15:0] POISON_BYTES = '1;

  typedef struct packed {
    logic [15:0] bytes, source, destination;
    logic last;
  } descriptor_t;
  typedef struct packed {
    logic [15:0] address;
    logic [BW:0] bytes;
    logic [8*BEAT-1:0] data;
  } beat_t;

  descriptor_t ring[RING];
  logic [SW:0] tail;
  logic [31:0] credit, fixed_cost, floor_cost;
  logic [15:0] byte_cost, issue_cycles;

  // The descriptor in work. `debt` is what it still has to pay, `ahead` what the bytes that aren't
  // read yet cost; a beat is due in the cycle whose payment reaches its first byte.
  logic last, at_start;  // at_start: the next descriptor begins a transfer
  logic [15:0] left, source, destination;
  logic [32:0] debt;
  logic [31:0] floor_debt, ahead;
  logic [15:0] issue_wait;

  wire descriptor_t next = ring[head[SW-1:0]];
  wire [31:0] next_cost = 32'(next.bytes) * 32'(byte_cost);

  // Beats between read and write, the older one in `front`.
  beat_t front, back;
  logic has_front, has_back;

  wire due = active && left != 0 && debt < {1'b0, ahead} + {1'b0, credit};
  wire [BW:0] beat = left < 16'(BEAT) ? left[BW:0] : (BW + 1)'(BEAT);
  assign read_valid   = due && !has_back;
  assign read_address = read_valid ? source : '0;
  assign read_bytes   = read_valid ? beat : '0;
  wire read = read_valid && read_ready;
  wire blocked = due && !read;

  assign write_valid   = has_front;
  assign write_address = front.address;
  assign write_bytes   = front.bytes;
  assign write_data    = front.data;
  wire written = write_valid && write_ready;

  // Completion: how many beats of the transfer still wait to be written; those of the next one come
  // behind them. One transfer is kept track of, so where the write port stalls, the next one's last
  // descriptor waits.
  logic completing;
  logic [1:0] unwritten;
  wire [1:0] unwritten_next = unwritten - 2'(written && unwritten != 0);
  wire completed = completing && unwritten_next == 0;
  wire [1:0] beats_next = 2'(has_front) + 2'(has_back) + 2'(read) - 2'(written);

  wire all_read = left == 0 || (read && left == 16'(beat));
  wire paid = !blocked && debt <= {1'b0, credit} && floor_debt <= credit;
  wire finish = active && all_read && paid && !(last && completing && !completed);
  wire at_start_next = active ? last : at_start;
  wire may_issue = !at_start_next || issue_wait <= 1;
  wire is_poison = next.bytes == POISON_BYTES;
  wire take = (!active || finish) && head != tail && !fault_poison && may_issue;
  wire start = take && !is_poison;

  wire [SW:0] used_now = tail - head;
  wire [SW:0] used_then = doorbell_tail - head;
  wire bad_tail = used_then > (SW + 1)'(RING) || used_then < used_now;

  always_ff @(posedge clk) begin
    if (rst) begin
      for (int i = 0; i < RING; i++) ring[i] <= '1;
      {head, tail} <= '0;
      {active, fault_doorbell, fault_poison, completing} <= '0;
      at_start <= 1'b1;
      {left, debt, floor_debt, ahead, issue_wait, unwritten} <= '0;
      semaphore_value <= '0;
      {has_front, has_back} <= '0;
      front <= '0;
      credit <= time_credit;
      byte_cost <= time_byte;
      fixed_cost <= time_fixed;
      floor_cost <= time_floor;
      issue_cycles <= time_issue;
    end else begin
      if (slot_valid)
        ring[slot_index] <= '{slot_bytes, slot_source, slot_destination, slot_last};
      if (doorbell_valid) begin
        if (bad_tail) fault_doorbell <= 1'b1;
        else tail <= doorbell_tail;
      end
      if (take && is_poison) fault_poison <= 1'b1;

      if (issue_wait != 0) issue_wait <= issue_wait - 1'b1;
      floor_debt <= floor_debt > credit ? floor_debt - credit : '0;
      if (!blocked) debt <= debt > {1'b0, credit} ? debt - {1'b0, credit} : '0;
      if (read) begin
        left        <= left - 16'(beat);
        source      <= source + 16'(beat);
        destination <= destination + 16'(beat);
        ahead       <= ahead - (32'(byte_cost) << BW);
      end
      if (finish) begin
        active   <= 1'b0;
        at_start <= last;
      end
      if (start) begin
        active      <= 1'b1;
        last        <= next.last;
        left        <= next.bytes;
        source      <= next.source;
        destination <= next.destination;
        ahead       <= next_cost;
        debt        <= {1'b0, next_cost} + {1'b0, fixed_cost};
        floor_debt  <= floor_cost;
        head        <= head + 1'b1;
        if (at_start_next) issue_wait <= issue_cycles;
      end

      if (completed) semaphore_value <= semaphore_value + 1'b1;
      if (finish && last) begin
        completing <= 1'b1;
        unwritten  <= beats_next;
      end else begin
        if (completed) completing <= 1'b0;
        unwritten <= unwritten_next;
      end

      if (written || !has_front) begin
        has_front <= has_back || read;
        front     <= has_back ? back : read ? '{destination, beat, read_data} : '0;
        has_back  <= 1'b0;
      end else if (read) begin
        has_back <= 1'b1;
        back     <= '{destination, beat, read_data};
      end
    end
  end
endmodule
`default_nettype wire
