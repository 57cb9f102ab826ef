/** The style of the page; the colours are the browser's, light or dark as people have set it. */
export const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --line: color-mix(in srgb, currentcolor 20%, transparent);
  --good: light-dark(#0a6b2d, #6fd694); --bad: light-dark(#a4141b, #ff9d96); --dim: light-dark(#555b63, #a9b0b8); }
body { margin: 0 auto; max-width: 64rem; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .dim { color: var(--dim); }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: .5rem .75rem; }
summary { cursor: pointer; }
pre { border: 1px solid var(--line); border-radius: .4rem; margin: .25rem 0 .75rem; padding: .5rem; white-space: pre-wrap; }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; }
table { border-collapse: collapse; } th, td { border-bottom: 1px solid var(--line); padding: .15rem .75rem .15rem 0; text-align: left; }
td.count { font-variant-numeric: tabular-nums; text-align: right; }
ul { margin: .25rem 0; padding-left: 1.25rem; }
`;
