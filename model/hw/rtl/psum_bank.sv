// One PSUM bank of one partition: float32 words, written by the Tensor engine, read by the others.
//   write_start = 1   the word becomes write_data, bit for bit
//   write_start = 0   the word becomes word + write_data (float32_adder has the rule)
// Order: a read returns what all writes accepted in its own or an earlier cycle have made, and
// nothing of a later one.
// Pipeline of a write: taken (1), word fetched (2), aligned and added (3), rounded (4), stored. An
// accumulation waits while its word is in (2) or (3) and takes it from (4) by a bypass, so that one
// word takes a sum every third cycle, and different words one every cycle.
// The memory has one read port, for which accumulations and reads take turns, and one write port.
// Outputs depend on registers alone. Reset poisons the words, one a cycle, before anything is ready.
`default_nettype none
module psum_bank #(
    parameter int WORDS = 512,
    parameter logic [31:0] POISON = '1,
    localparam int AW = $clog2(WORDS)
) (
    input  wire           clk,
    input  wire           rst,
    input  wire           write_valid,
    output logic          write_ready,
    input  wire           write_start,
    input  wire  [AW-1:0] write_address,
    input  wire  [  31:0] write_data,
    input  wire           read_valid,
    output logic          read_ready,
    input  wire  [AW-1:0] read_address,
    output logic          value_valid,
    input  wire           value_ready,
    output logic [  31:0] value_data
);
  logic [31:0] words[WORDS];

  // Stages of a write, and the read that waits for its turn.
  logic taken, fetched, added, rounded;
  logic taken_start, fetched_start, added_start;
  logic [AW-1:0] taken_address, fetched_address, added_address, rounded_address;
  logic [31:0] taken_data, fetched_data, added_data, rounded_value;
  logic [31:0] fetched_word, sum;
  logic waiting, behind_taken, readers_turn;
  logic [AW-1:0] waiting_address;
  logic poisoning;
  logic [AW-1:0] poison_address;

  function automatic logic in_adder(input logic [AW-1:0] address);
    return (fetched && fetched_address == address) || (added && added_address == address);
  endfunction

  // A later write must not overtake a read of its word that still waits.
  wire held = waiting && !behind_taken && waiting_address == taken_address;
  wire can_fetch = taken && !held && (taken_start || !in_adder(taken_address));
  wire can_read = waiting && !value_valid && !in_adder(waiting_address) &&
      !(behind_taken && taken && taken_address == waiting_address);
  wire collide = can_fetch && !taken_start && can_read;
  wire fetch = can_fetch && !(collide && readers_turn);
  wire read = can_read && !(collide && !readers_turn);
  wire [AW-1:0] port_address = read ? waiting_address : taken_address;
  wire [31:0] port_word = rounded && rounded_address == port_address ? rounded_value : words[port_address];

  assign write_ready = !poisoning && (!taken || fetch);
  assign read_ready  = !poisoning && (!waiting || read);
  wire take_write = write_valid && write_ready;
  wire take_read = read_valid && read_ready;

  float32_adder adder (
      .clk(clk),
      .a(fetched_word),
      .b(fetched_data),
      .sum(sum)
  );

  always_ff @(posedge clk) begin
    if (rst) begin
      {taken, fetched, added, rounded, waiting} <= '0;
      {behind_taken, readers_turn, value_valid} <= '0;
      value_data <= '0;
      poisoning <= 1'b1;
      poison_address <= '0;
    end else begin
      if (poisoning) begin
        poison_address <= poison_address + 1'b1;
        if (poison_address == AW'(WORDS - 1)) poisoning <= 1'b0;
      end
      taken   <= take_write || (taken && !fetch);
      fetched <= fetch;
      added   <= fetched;
      rounded <= added;
      waiting <= take_read || (waiting && !read);
      // What is taken now or still waits here came before, or with, the read that is taken now.
      if (take_read) behind_taken <= take_write || (taken && !fetch);
      else if (fetch) behind_taken <= 1'b0;
      if (collide) readers_turn <= !readers_turn;
      if (read) begin
        value_valid <= 1'b1;
        value_data  <= port_word;
      end else if (value_ready) begin
        value_valid <= 1'b0;
        value_data  <= '0;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (take_write) begin
      taken_start   <= write_start;
      taken_address <= write_address;
      taken_data    <= write_data;
    end
    if (take_read) waiting_address <= read_address;
    fetched_start   <= taken_start;
    fetched_address <= taken_address;
    fetched_data    <= taken_data;
    fetched_word    <= port_word;
    added_start     <= fetched_start;
    added_address   <= fetched_address;
    added_data      <= fetched_data;
    rounded_address <= added_address;
    rounded_value   <= added_start ? added_data : sum;
    if (poisoning) words[poison_address] <= POISON;
    else if (rounded) words[rounded_address] <= rounded_value;
  end
endmodule
`default_nettype wire
