// IEEE 754 binary32 addition, round to nearest even, with subnormals: one register in the middle,
// so that a sum follows its operands by one clock.
// Rule for NaN: every NaN result, also infinity minus infinity, is the quiet NaN 32'h7FC0_0000; no
// payload survives. An exact zero is +0 unless both operands are -0.
`default_nettype none
module float32_adder (
    input  wire         clk,
    input  wire  [31:0] a,
    input  wire  [31:0] b,
    output logic [31:0] sum
);
  localparam logic [31:0] QUIET_NAN = 32'h7FC0_0000;

  // First half: the larger magnitude first, the other one shifted to its exponent. Three bits below
  // the fraction are enough for nearest even: guard, round, and sticky for all that fell off.
  wire swap = a[30:0] < b[30:0];
  wire [31:0] big = swap ? b : a;
  wire [31:0] tiny = swap ? a : b;
  // A subnormal has the exponent of the smallest normal number and no leading one.
  wire [7:0] big_exponent = big[30:23] == 0 ? 8'd1 : big[30:23];
  wire [7:0] tiny_exponent = tiny[30:23] == 0 ? 8'd1 : tiny[30:23];
  wire [7:0] distance = big_exponent - tiny_exponent;
  wire [4:0] shift = distance > 8'd27 ? 5'd27 : distance[4:0];
  wire [23:0] big_mantissa = {big[30:23] != 0, big[22:0]};
  wire [50:0] tiny_shifted = {tiny[30:23] != 0, tiny[22:0], 27'b0} >> shift;
  wire [26:0] tiny_mantissa = {tiny_shifted[50:25], |tiny_shifted[24:0]};
  wire subtract = big[31] ^ tiny[31];
  wire big_is_nan = big[30:23] == 8'hFF && big[22:0] != 0;
  wire big_is_infinite = big[30:23] == 8'hFF && big[22:0] == 0;

  logic [27:0] total;
  logic [7:0] exponent;
  logic sign, zero_sign, is_nan, is_infinite;
  always_ff @(posedge clk) begin
    total <= subtract ? {1'b0, big_mantissa, 3'b0} - {1'b0, tiny_mantissa}
                      : {1'b0, big_mantissa, 3'b0} + {1'b0, tiny_mantissa};
    exponent <= big_exponent;
    sign <= big[31];
    zero_sign <= big[31] & tiny[31];
    // A NaN has the largest magnitude of all, so it is the big operand if there is one.
    is_nan <= big_is_nan || (big_is_infinite && subtract && tiny[30:0] == big[30:0]);
    is_infinite <= big_is_infinite;
  end

  // Second half: normalise, but not below the smallest exponent; round; pack. A carry out of the
  // fraction goes into the exponent by itself, also from subnormal to normal and up to infinity.
  logic [4:0] leading_zeros;
  always_comb begin
    leading_zeros = 5'd27;
    for (int i = 0; i < 27; i++) if (total[i]) leading_zeros = 5'(26 - i);
  end
  wire [7:0] room = exponent - 8'd1;
  wire [4:0] left = 8'(leading_zeros) > room ? room[4:0] : leading_zeros;
  wire [26:0] mantissa = total[27] ? {total[27:2], total[1] | total[0]} : total[26:0] << left;
  wire [7:0] raised = total[27] ? exponent + 8'd1 : exponent - 8'(left);
  wire [7:0] field = mantissa[26] ? raised : 8'd0;
  wire round_up = mantissa[2] && (mantissa[3] || mantissa[1] || mantissa[0]);
  wire [30:0] magnitude = {field, mantissa[25:3]} + 31'(round_up);

  always_comb begin
    if (is_nan) sum = QUIET_NAN;
    else if (is_infinite || field == 8'hFF) sum = {sign, 8'hFF, 23'b0};
    else sum = {total == 0 ? zero_sign : sign, magnitude};
  end
endmodule
`default_nettype wire
