#include "sim/tool/html_style.h"

namespace spillway::html {

const std::string_view kStyle = R"(:root { color-scheme: light dark;
  --page: #f9f9f7; --surface: #ffffff; --ink: #0b0b0b; --ink2: #52514e; --muted: #75736c;
  --grid: #e6e5de; --axis: #b8b7ae; --track: #f0efec; --edge: #e1e0d9;
  --blue: #2a78d6; --orange: #eb6834; --aqua: #1baf7a; --yellow: #eda100; --violet: #4a3aa7;
  --good: #006300; --bad: #c22f2f; }
@media (prefers-color-scheme: dark) { :root {
  --page: #0d0d0d; --surface: #1a1a19; --ink: #ffffff; --ink2: #c3c2b7; --muted: #97958d;
  --grid: #2c2c2a; --axis: #52514e; --track: #262624; --edge: #33332f;
  --blue: #3987e5; --orange: #d95926; --aqua: #199e70; --yellow: #c98500; --violet: #9085e9;
  --good: #0ca30c; --bad: #e66767; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 20px 40px; }
section { background: var(--surface); border: 1px solid var(--edge); border-radius: 8px;
  padding: 4px 24px 24px; margin: 24px 0; }
h1 { font-size: 24px; margin: 8px 0 16px; }
h2 { font-size: 21px; margin: 16px 0 12px; overflow-wrap: anywhere; }
h2 span { font-size: 15px; font-weight: 600; margin-left: 8px; white-space: nowrap; }
h3 { font-size: 16px; margin: 28px 0 6px; }
h4 { font-size: 14px; margin: 16px 0 4px; }
p { margin: 6px 0; }
a { color: inherit; }
.good { color: var(--good); } .bad { color: var(--bad); } .idle { color: var(--muted); }
.note, footer { color: var(--ink2); font-size: 13px; }
.message { border-left: 4px solid var(--bad); padding: 4px 12px; overflow-wrap: anywhere; }
.tiles { display: flex; flex-wrap: wrap; gap: 10px 36px; margin: 12px 0; }
.tile span, .tile small { display: block; color: var(--ink2); font-size: 13px; }
.tile b { display: block; font-size: 24px; font-weight: 600; line-height: 1.25; }
details { margin: 12px 0; } summary { cursor: pointer; color: var(--ink2); }
table { border-collapse: collapse; font-size: 13px; margin: 6px 0; }
th, td { text-align: left; padding: 3px 18px 3px 0; vertical-align: top; border-bottom: 1px solid var(--grid);
  overflow-wrap: anywhere; }
th { color: var(--ink2); font-weight: 500; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.total td { font-weight: 600; }
.scroll { max-height: 480px; overflow: auto; }
ul { margin: 4px 0; padding-left: 20px; font-size: 13px; overflow-wrap: anywhere; }
.legend { font-size: 13px; color: var(--ink2); } .legend span { margin-right: 16px; white-space: nowrap; }
svg { display: block; width: 100%; height: auto; }
svg.swatch { display: inline-block; width: 12px; height: 12px; margin-right: 6px; vertical-align: -1px; }
svg text { font: 11px system-ui, -apple-system, "Segoe UI", sans-serif; fill: var(--muted);
  font-variant-numeric: tabular-nums; }
svg text.panel, svg text.value { fill: var(--ink2); font-size: 12px; }
svg text.limit { fill: var(--bad); font-size: 12px; paint-order: stroke; stroke: var(--surface); stroke-width: 3px; }
svg text.name { fill: #0b0b0b; pointer-events: none; }
.grid { stroke: var(--grid); } .axis { stroke: var(--axis); }
.capacity { stroke: var(--bad); stroke-width: 1.5; }
.track { fill: var(--track); } .loop { fill: var(--axis); }
.ordinary { fill: var(--blue); } .copy, .reload { fill: var(--orange); }
.fixed { fill: var(--aqua); } .save { fill: var(--yellow); }
.area { fill: var(--blue); fill-opacity: .25; }
.cells { fill: none; stroke-width: 2; stroke-opacity: .5; }
.cells.ordinary { stroke: var(--blue); } .cells.copy { stroke: var(--orange); } .cells.fixed { stroke: var(--aqua); }
.line { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
.series0 { stroke: var(--blue); fill: var(--blue); } .series1 { stroke: var(--aqua); fill: var(--aqua); }
.series2 { stroke: var(--yellow); fill: var(--yellow); } .series3 { stroke: var(--violet); fill: var(--violet); }
path.line { fill: none; }
.one { fill-opacity: .85; }
svg g rect:hover, .one:hover, .loop:hover { stroke: var(--ink); stroke-width: 1; }
#tip { position: absolute; z-index: 1; display: none; pointer-events: none; white-space: pre; font-size: 12px;
  max-width: 480px; overflow: hidden; text-overflow: ellipsis; background: var(--surface); color: var(--ink); border: 1px solid var(--axis);
  border-radius: 4px; padding: 4px 8px; box-shadow: 0 2px 8px rgb(0 0 0 / .2); }
@media print { .scroll { max-height: none; } section { border: 0; padding: 0; } }
)";

const std::string_view kScript = R"((function () {
  var tip = document.createElement("div"), texts = new WeakMap();
  tip.id = "tip";
  document.body.appendChild(tip);
  document.addEventListener("mousemove", function (event) {
    var mark = event.target, title = mark.querySelector && mark.tagName === "rect" && mark.querySelector("title");
    if (title) { texts.set(mark, title.textContent); title.remove(); }
    var text = texts.get(mark);
    tip.style.display = text ? "block" : "none";
    if (!text) return;
    tip.textContent = text;
    var right = window.scrollX + document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = Math.max(0, Math.min(event.pageX + 14, right)) + "px";
    tip.style.top = event.pageY + 16 + "px";
  });
})();
)";

}  // namespace spillway::html
