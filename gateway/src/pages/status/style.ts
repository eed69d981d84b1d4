export const style = `
.now {
  display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; align-items: baseline; max-width: none;
  padding: 1rem 1.25rem; border: 1px solid var(--line); border-left: .5rem solid var(--good); border-radius: .5rem;
  background: var(--card);
}
.now.down { border-left-color: var(--bad); }
.now strong { font-size: 1.125rem; }
.now span, .notice { color: var(--faint); }
.notice { padding: .75rem 1.25rem; border: 1px solid var(--line); border-radius: .5rem; max-width: none; }
.notice strong { color: var(--text); }
.rows { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
.rows li { padding: 1rem 1.25rem; }
.rows li + li { border-top: 1px solid var(--line); }
.rows p { margin: 0; max-width: none; }
.head { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; align-items: baseline; }
.state { font-weight: 600; }
.state .faint { font-weight: 400; white-space: nowrap; }
.state.up::before { content: "✓ "; color: var(--good); }
.state.down::before { content: "✕ "; color: var(--bad); }
.state.down { color: var(--bad); }
.bars { display: block; width: 100%; height: 2.25rem; margin: .625rem 0 .25rem; }
.touch { fill: transparent; }
.bars .good { fill: var(--good); }
.bars .fair { fill: var(--fair); }
.bars .bad { fill: var(--bad); }
.bars .none { fill: var(--none); }
.bars g:hover rect:last-child { fill: var(--text); }
.scale { display: flex; justify-content: space-between; gap: .5rem; white-space: nowrap; }
.scale strong { color: var(--text); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .75rem 0 1rem; max-width: none; }
.legend span::before {
  content: ""; display: inline-block; width: .5rem; margin-right: .4rem; background: var(--none); height: .15rem;
}
.legend .good::before { background: var(--good); height: .9rem; }
.legend .fair::before { background: var(--fair); height: .6rem; }
.legend .bad::before { background: var(--bad); height: .35rem; }
summary { cursor: pointer; color: var(--link); }
.scroll { overflow-x: auto; margin-top: .75rem; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .9rem .35rem 0; text-align: left; white-space: nowrap; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; }
`
