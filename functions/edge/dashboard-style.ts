/**
 * The dashboard's style sheet, served from its own origin, as its policy demands.
 * It must never be what tells a state alone: every colour stands beside a word.
 */

/** Light and dark by the reader's choice, tables that become cards on a phone, targets of 44 px for fingers. */
export const dashboardStyle = `
:root { color-scheme: light dark; --paper: #f5f6f9; --card: #ffffff; --ink: #1a1f2b; --soft: #545d70; --line: #d5d9e2; --edge: #858d9e; --accent: #2a48c4; --on-accent: #ffffff; --good: #0f6245; --bad: #ab1d15; --warn: #7d4b00; --tint: #eceffa; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #10131a; --card: #181c25; --ink: #e9ecf3; --soft: #a8b0c1; --line: #2d3442; --edge: #78829a; --accent: #a5b8ff; --on-accent: #0d1433; --good: #7fd9ad; --bad: #ffaaa2; --warn: #f0c27c; --tint: #212840; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
a { color: var(--accent); text-underline-offset: .15em; }
code { font: .9em ui-monospace, "SFMono-Regular", "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main:focus { outline: 0; }
.skip { position: absolute; left: -100vw; top: 0; padding: .75rem 1rem; background: var(--card); z-index: 2; }
.skip:focus { left: 0; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.5rem; padding: .5rem 1.25rem; background: var(--card); border-bottom: 1px solid var(--line); }
.brand { display: flex; align-items: center; gap: .5rem; font-weight: 700; margin: 0; }
.mark { width: .9rem; height: .9rem; border-radius: .25rem; background: var(--accent); }
nav ul { display: flex; flex-wrap: wrap; gap: 0 .25rem; list-style: none; margin: 0; padding: 0; }
nav a { display: inline-block; padding: .6rem .75rem; min-height: 2.75rem; text-decoration: none; color: var(--ink); border-radius: .4rem; }
nav a:hover { background: var(--tint); }
nav a[aria-current] { color: var(--accent); font-weight: 600; background: var(--tint); }
.who { display: flex; align-items: center; gap: .75rem; margin-left: auto; color: var(--soft); }
.who p { margin: 0; }
main { max-width: 76rem; margin: 0 auto; padding: 1.25rem 1.25rem 2rem; }
footer { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem 2rem; color: var(--soft); font-size: .875rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 1rem 0 .5rem; }
.soft { color: var(--soft); }
.panel { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.25rem; margin: 0 0 1.25rem; }
.panel > :last-child { margin-bottom: 0; }
.narrow { max-width: 32rem; }
.notice, .fault { background: var(--card); border: 1px solid var(--line); border-left: .3rem solid var(--good); border-radius: .4rem; padding: .75rem 1rem; margin: 0 0 1.25rem; }
.notice.bad, .fault { border-left-color: var(--bad); }
.panel .fault { border-width: 0 0 0 .3rem; border-radius: 0; padding: .25rem 0 .25rem .75rem; }
.empty { color: var(--soft); padding: .5rem 0; }
button, a.button { display: inline-block; font: inherit; font-weight: 600; min-height: 2.75rem; padding: .55rem 1.1rem; border: 1px solid var(--accent); border-radius: .45rem; color: var(--on-accent); background: var(--accent); cursor: pointer; text-decoration: none; }
button.quiet, a.button.quiet { color: var(--accent); background: transparent; }
.who button.quiet { border-color: transparent; padding-inline: .5rem; }
button[disabled] { opacity: .65; cursor: progress; }
label, .label { display: block; font-size: .875rem; color: var(--soft); }
input, select { display: block; font: inherit; width: 100%; min-height: 2.75rem; margin-top: .2rem; padding: .4rem .6rem; color: var(--ink); background: var(--card); border: 1px solid var(--edge); border-radius: .4rem; }
input[aria-invalid] { border-color: var(--bad); }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10rem, 100%), 1fr)); gap: .75rem; align-items: end; margin: 0 0 .75rem; }
.fields .wide { grid-column: span 2; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .75rem 0 0; }
.actions form { margin: 0; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); font-size: .875rem; padding-bottom: .5rem; }
th { text-align: left; font-size: .8125rem; font-weight: 600; color: var(--soft); }
th, td { padding: .55rem .75rem .55rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tbody tr:last-child td { border-bottom: 0; }
td code { overflow-wrap: break-word; } td a code, td code.url { overflow-wrap: anywhere; }
table + dl { margin-top: 1rem; }
td.number, th.number { text-align: right; white-space: nowrap; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .35rem 1.25rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.tabs ul { display: flex; flex-wrap: wrap; list-style: none; margin: 0 0 .75rem; padding: 0; gap: .25rem; }
.tabs a { display: inline-block; min-height: 2.75rem; padding: .55rem .9rem; border: 1px solid var(--line); border-radius: .4rem; }
.chip { display: inline-block; padding: 0 .55rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8125rem; line-height: 1.5rem; white-space: nowrap; color: var(--soft); }
.chip.good { color: var(--good); } .chip.bad { color: var(--bad); } .chip.warn { color: var(--warn); }
.charts { columns: 2 30rem; column-gap: 1.25rem; }
.charts .panel { break-inside: avoid; }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem 2rem; }
.tiles dd { font-size: 1.25rem; font-weight: 600; margin: 0; }
.chart { margin: 1.25rem 0 0; }
.chart h3 { margin: 0; } .chart figcaption p { margin: 0 0 .5rem; color: var(--soft); font-size: .9375rem; }
.plot { display: block; width: 100%; height: 9rem; border-bottom: 1px solid var(--edge); border-top: 1px dashed var(--line); }
.scale, .days { margin: 0; color: var(--soft); font-size: .8125rem; }
.days { display: flex; justify-content: space-between; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: 0 0 .25rem; padding: 0; font-size: .875rem; }
.legend svg { width: .75rem; height: .75rem; margin-right: .4rem; vertical-align: -.05rem; }
.bar { display: block; width: 100%; height: .5rem; margin: .35rem 0 .15rem; }
rect.first { fill: var(--accent); } rect.second { fill: var(--edge); } rect.good { fill: var(--good); } rect.bad { fill: var(--bad); }
.line { fill: none; stroke-width: 2px; stroke-linejoin: round; stroke-linecap: round; vector-effect: non-scaling-stroke; }
.line.first { stroke: var(--accent); } .line.second { stroke: var(--edge); } .line.good { stroke: var(--good); } .line.bad { stroke: var(--bad); }
details { margin-top: .5rem; } summary { cursor: pointer; min-height: 2.75rem; padding-top: .6rem; color: var(--accent); }
.stops { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1.25rem; }
.stops .panel { margin: 0; }
.story { list-style: none; margin: 0; padding: 0; }
.story li { position: relative; display: grid; grid-template-columns: 14rem 1fr; gap: .25rem 1rem; padding: .35rem 0 .35rem 1.5rem; overflow-wrap: anywhere; }
.story li::before { content: ""; position: absolute; left: .2rem; top: .8rem; width: .6rem; height: .6rem; border: 2px solid var(--accent); border-radius: 50%; background: var(--card); z-index: 1; }
.story li:not(:last-child)::after { content: ""; position: absolute; left: .45rem; top: 1.2rem; bottom: -.7rem; border-left: 2px solid var(--line); }
.story li.good::before { background: var(--good); border-color: var(--good); }
.story li.warn::before { background: var(--warn); border-color: var(--warn); }
.story li.bad::before { background: var(--bad); border-color: var(--bad); }
.story li.ahead::before { border-style: dotted; }
.story .at { color: var(--soft); font-variant-numeric: tabular-nums; }
pre { font: .8125rem/1.45 ui-monospace, "SFMono-Regular", "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
.busy { position: fixed; right: 1rem; bottom: 1rem; margin: 0; padding: .5rem 1rem; border-radius: .45rem; color: var(--on-accent); background: var(--accent); }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 44rem) {
  header, main, footer { padding-inline: .9rem; }
  .who { margin-left: 0; width: 100%; justify-content: space-between; }
  nav a { padding-inline: .5rem; }
  .panel { padding: .9rem; }
  .story li { grid-template-columns: 1fr; gap: 0; }
  .fields .wide { grid-column: auto; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .6rem; }
  table.cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.cards, table.cards tbody, table.cards caption { display: block; }
  table.cards tr { display: block; border-bottom: 1px solid var(--line); padding: .6rem 0; }
  table.cards tbody tr:last-child { border-bottom: 0; }
  table.cards td, table.cards td.number { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .5rem; text-align: left; white-space: normal; border: 0; padding: .15rem 0; }
  td code { overflow-wrap: anywhere; }
  .chip { white-space: normal; }
  table.cards td::before { content: attr(data-label); color: var(--soft); font-size: .875rem; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
`;
