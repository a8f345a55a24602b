// A group of SBUF banks, interleaved by word, with a round-robin arbiter per bank and one port for
// each requester (compute engines, DMA).
// A port takes a request when it has none that waits, or when the waiting one is granted in the
// same cycle. A bank serves one waiting request a cycle; who lost shows `port_stalled`. Every
// request, also a write, is answered by one response, in order; a response that nobody takes stops
// its own port after two, and no other port.
// Grants look at registers alone, never at this cycle's request, so there is no path from an input
// to an output. Reset poisons a row of all banks a cycle before anything is ready.
`default_nettype none
module sbuf_bank_group #(
    parameter int PORTS = 5,
    parameter int BANKS = 4,
    parameter int ROWS = 64,
    parameter int BYTES = 4,  // of a word
    parameter logic [7:0] POISON = '1,
    localparam int AW = $clog2(BANKS * ROWS)
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire  [        PORTS-1:0] request_valid,
    output logic [        PORTS-1:0] request_ready,
    input  wire  [        PORTS-1:0] request_write,
    input  wire  [     PORTS*AW-1:0] request_address,  // a field a port, port 0 in the low bits
    input  wire  [  PORTS*BYTES-1:0] request_strobe,
    input  wire  [PORTS*8*BYTES-1:0] request_data,
    output logic [        PORTS-1:0] port_stalled,
    output logic [        PORTS-1:0] response_valid,
    input  wire  [        PORTS-1:0] response_ready,
    output logic [PORTS*8*BYTES-1:0] response_data
);
  localparam int BW = $clog2(BANKS);
  localparam int RW = $clog2(ROWS);
  localparam int PW = $clog2(PORTS);
  localparam int DW = 8 * BYTES;

  // Per port: the request that waits, and up to two responses, the older one in `front`.
  logic [PORTS-1:0] waiting, is_write, grant;
  logic [PORTS-1:0][BW-1:0] bank;
  logic [PORTS-1:0][RW-1:0] row;
  logic [PORTS-1:0][BYTES-1:0] strobe;
  logic [PORTS-1:0][DW-1:0] data, front, back;
  logic [PORTS-1:0] has_front, has_back;
  // Per bank: who won last, and this cycle's access.
  logic [BANKS-1:0][PW-1:0] last_winner, winner;
  logic [BANKS-1:0] access;
  logic [BANKS-1:0][DW-1:0] read_word;
  logic poisoning;
  logic [RW-1:0] poison_row;

  always_comb begin
    grant  = '0;
    access = '0;
    winner = last_winner;
    for (int b = 0; b < BANKS; b++) begin
      for (int turn = 1; turn <= PORTS; turn++) begin
        automatic int p = (int'(last_winner[b]) + turn) % PORTS;
        if (!access[b] && waiting[p] && !has_back[p] && bank[p] == BW'(b)) begin
          access[b] = 1'b1;
          winner[b] = PW'(p);
          grant[p]  = 1'b1;
        end
      end
    end
  end

  for (genvar b = 0; b < BANKS; b++) begin : banks
    logic [DW-1:0] words[ROWS];
    assign read_word[b] = words[row[winner[b]]];
    always_ff @(posedge clk) begin
      if (poisoning) words[poison_row] <= {BYTES{POISON}};
      else if (access[b] && is_write[winner[b]])
        for (int i = 0; i < BYTES; i++)
          if (strobe[winner[b]][i]) words[row[winner[b]]][8*i+:8] <= data[winner[b]][8*i+:8];
    end
  end

  assign request_ready  = poisoning ? '0 : ~waiting | grant;
  assign port_stalled   = waiting & ~grant;
  assign response_valid = has_front;
  assign response_data  = front;

  always_ff @(posedge clk) begin
    if (rst) begin
      waiting     <= '0;
      has_front   <= '0;
      has_back    <= '0;
      front       <= '0;
      last_winner <= {BANKS{PW'(PORTS - 1)}};
      poisoning   <= 1'b1;
      poison_row  <= '0;
    end else begin
      if (poisoning) begin
        poison_row <= poison_row + 1'b1;
        if (poison_row == RW'(ROWS - 1)) poisoning <= 1'b0;
      end
      last_winner <= winner;
      for (int p = 0; p < PORTS; p++) begin
        // A write is answered by zeros.
        automatic logic [DW-1:0] answer = is_write[p] ? '0 : read_word[bank[p]];
        automatic logic leaves = has_front[p] && response_ready[p];
        if (request_valid[p] && request_ready[p]) waiting[p] <= 1'b1;
        else if (grant[p]) waiting[p] <= 1'b0;
        if (leaves || !has_front[p]) begin
          // There is no grant while `back` is full, so at most one of the two moves up.
          has_front[p] <= has_back[p] || grant[p];
          front[p]     <= has_back[p] ? back[p] : grant[p] ? answer : '0;
          has_back[p]  <= 1'b0;
        end else if (grant[p]) begin
          has_back[p] <= 1'b1;
          back[p]     <= answer;
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    for (int p = 0; p < PORTS; p++)
      if (request_valid[p] && request_ready[p]) begin
        is_write[p] <= request_write[p];
        {row[p], bank[p]} <= request_address[p*AW+:AW];
        strobe[p] <= request_strobe[p*BYTES+:BYTES];
        data[p] <= request_data[p*DW+:DW];
      end
  end
endmodule
`default_nettype wire
