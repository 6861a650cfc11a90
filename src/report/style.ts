/** The look of the page: one column, light and dark by the reader's preference, readable on a phone and on paper. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --card: #f6f7f9; --ink: #1a1f27; --muted: #5c6675; --line: #d9dee6; --accent: #0b63ce;
  --accent-soft: #e3eefb; --good: #137a4b; --bad: #c0392b; --mark: #fff6dc;
  --series-1: #0b63ce; --series-2: #c8570b; --series-3: #13806f; --series-4: #7d3fc4;
  --series-5: #a8750a; --series-6: #c02a6b; --series-7: #4a6a8a; --series-8: #5f8a1d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161c; --card: #1a2029; --ink: #e6eaf0; --muted: #98a3b3; --line: #313a47; --accent: #6cb0ff;
    --accent-soft: #1b2f49; --good: #58c794; --bad: #ff8b7d; --mark: #3a3217;
    --series-1: #6cb0ff; --series-2: #ff9f58; --series-3: #4fcab4; --series-4: #bf94ff;
    --series-5: #e6b84a; --series-6: #ff83b1; --series-7: #9db8d3; --series-8: #a9d164;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main, .masthead > div, .foot { max-width: 960px; margin: 0 auto; padding: 0 24px; }
.masthead { border-bottom: 1px solid var(--line); background: var(--card); padding: 36px 0 24px; }
.masthead h1 { margin: 0 0 6px; font-size: 2rem; line-height: 1.2; letter-spacing: -0.02em; overflow-wrap: anywhere; }
.masthead p { margin: 0; color: var(--muted); }
nav ul { list-style: none; margin: 18px 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 8px; }
nav a {
  display: block; padding: 5px 12px; border: 1px solid var(--line); border-radius: 999px; background: var(--paper);
  text-decoration: none; font-size: 0.88rem; overflow-wrap: anywhere;
}
a { color: var(--accent); }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
section { padding: 36px 0 12px; border-bottom: 1px solid var(--line); }
section:last-of-type { border-bottom: 0; }
h2 { margin: 0 0 4px; font-size: 1.5rem; line-height: 1.25; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h3 { margin: 34px 0 8px; font-size: 1.1rem; }
h4 { margin: 22px 0 6px; font-size: 0.98rem; overflow-wrap: anywhere; }
.kind { margin: 0 0 4px; color: var(--accent); font-size: 0.78rem; font-weight: 600; letter-spacing: 0.08em; text-transform: uppercase; }
.lead { margin: 0 0 16px; color: var(--muted); max-width: 70ch; }
p { max-width: 75ch; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 18px 0; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.tile .label { color: var(--muted); font-size: 0.82rem; }
.tile .value { font-size: 1.55rem; font-weight: 650; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; line-height: 1.3; }
.tile .note { color: var(--muted); font-size: 0.8rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 2px 24px; margin: 12px 0; font-size: 0.9rem; }
.facts div { padding: 6px 0; border-bottom: 1px solid var(--line); min-width: 0; }
.facts dt { color: var(--muted); font-size: 0.8rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.record { margin: 12px 0; font-size: 0.88rem; }
.record div { display: grid; grid-template-columns: 150px 1fr; gap: 16px; padding: 5px 0; border-bottom: 1px solid var(--line); }
.record dt { color: var(--muted); }
.record dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 12px 0; border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: 0.88rem; }
caption { text-align: left; padding: 10px 14px 4px; color: var(--muted); font-size: 0.85rem; }
th, td { padding: 7px 14px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { color: var(--muted); font-weight: 600; font-size: 0.8rem; vertical-align: bottom; background: var(--card); }
tbody tr:last-child > * { border-bottom: 0; }
tbody th { font-weight: 600; background: var(--paper); position: sticky; left: 0; min-width: 12em; }
tbody tr.emphasized > * { background: var(--accent-soft); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.sub { display: block; color: var(--muted); font-weight: 400; font-size: 0.8rem; }
.chart { margin: 14px 0 8px; }
.chart svg { display: block; max-width: 100%; height: auto; }
.chart svg text { white-space: pre; }
.plot { --plot-background: var(--paper); }
.chart .narrow { display: none; }
.key { display: none; columns: 2; column-gap: 28px; margin: 8px 0; padding-left: 26px; font-size: 0.82rem; overflow-wrap: anywhere; }
figcaption, .caption { color: var(--muted); font-size: 0.85rem; margin: 6px 0 0; max-width: 75ch; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0 0 8px; font-size: 0.85rem; }
.legend i { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; vertical-align: -1px; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 24px; }
.notice { border-left: 3px solid var(--series-5); background: var(--mark); padding: 8px 14px; border-radius: 0 8px 8px 0; margin: 12px 0; font-size: 0.9rem; overflow-wrap: anywhere; }
details { margin: 12px 0; border: 1px solid var(--line); border-radius: 10px; padding: 0 16px; }
details[open] { padding-bottom: 10px; }
summary { cursor: pointer; padding: 10px 0; font-weight: 600; font-size: 0.92rem; }
pre { margin: 8px 0; padding: 12px 14px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; font: 0.82rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { font: 0.88em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(132px, 1fr)); gap: 12px; margin: 8px 0 4px; padding: 0; list-style: none; }
.gallery li { min-width: 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: var(--card); font-size: 0.78rem; }
.gallery img { display: block; width: 100%; height: auto; aspect-ratio: 1; object-fit: cover; background: var(--line); }
.gallery .words { padding: 7px 9px 9px; overflow-wrap: anywhere; line-height: 1.4; }
.gallery .weight { font-weight: 650; font-variant-numeric: tabular-nums; }
.gallery .tags { color: var(--muted); }
.gallery .credit { color: var(--muted); margin-top: 3px; }
.high { color: var(--good); } .low { color: var(--bad); }
.foot { padding-top: 20px; padding-bottom: 40px; color: var(--muted); font-size: 0.85rem; }
@media (max-width: 640px) {
  main, .masthead > div, .foot { padding-left: 16px; padding-right: 16px; }
  .masthead { padding-top: 24px; }
  .masthead h1 { font-size: 1.6rem; }
  .pair { grid-template-columns: 1fr; gap: 0; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .record div { grid-template-columns: 1fr; gap: 0; }
  .facts { grid-template-columns: 1fr 1fr; }
  .gallery { grid-template-columns: repeat(auto-fill, minmax(104px, 1fr)); gap: 8px; }
  .tile .value { font-size: 1.3rem; }
  .chart .wide { display: none; }
  .chart .narrow { display: block; }
  .key { display: block; }
  th, td { padding: 6px 10px; }
  tbody th { min-width: 7.5em; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --muted: #444; --line: #bbb; --accent: #0b4fa3; --accent-soft: #eef3fa; --good: #137a4b; --bad: #c0392b; --mark: #fff;
    --series-1: #0b63ce; --series-2: #c8570b; --series-3: #13806f; --series-4: #7d3fc4;
    --series-5: #a8750a; --series-6: #c02a6b; --series-7: #4a6a8a; --series-8: #5f8a1d; }
  body { font-size: 10.5pt; }
  nav { display: none; }
  main, .masthead > div, .foot { max-width: none; padding: 0; }
  .masthead { padding: 0 0 12pt; }
  .scroll { overflow: visible; }
  table { font-size: 7.5pt; }
  .sub { font-size: 6.5pt; }
  caption, thead th { font-size: 7pt; }
  th, td { padding: 3pt 5pt; }
  tbody th { position: static; min-width: 0; }
  .chart .wide { display: block; }
  .chart .narrow, .key { display: none; }
  .chart, .tile, .gallery li, tr { break-inside: avoid; }
  h2, h3, h4 { break-after: avoid; }
  section { padding: 14pt 0 4pt; }
  details::details-content { content-visibility: visible; height: auto; }
  details > * { display: block; }
  a { color: inherit; text-decoration: none; }
}
`;
