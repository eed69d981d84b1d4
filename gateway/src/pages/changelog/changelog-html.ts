import { type HtmlPage, html, htmlDocument, prose } from '../html.ts'
import { date as inWords } from '../status/format.ts'
import type { Changelog, Entry } from './changelog-document.ts'

export function writeChangelog({ entries }: Changelog): HtmlPage {
  const days = Map.groupBy(entries, ({ date }) => date)
  return htmlDocument({
    path: '/changelog',
    title: 'Changelog',
    description: 'What has changed in Millhand, the newest first.',
    style,
    main: html`<h1>Changelog</h1>
<p>What has changed for callers and operators. Within <code>/v1</code> fields, values and events may be added; nothing else
changes without notice here. Programs get this page as JSON: <code>Accept: application/json</code>.</p>
${[...days].map(
  ([date, each]) => html`<section aria-labelledby="d${date}">
<h2 id="d${date}"><time datetime="${date}">${inWords(date)}</time></h2>
<ul>${each.map(item)}</ul>
</section>`,
)}`,
  })
}

const item = ({ id, type, text, link }: Entry) =>
  html`<li id="${id}"><span class="type ${type}">${words[type]}</span><p>${prose(
    text,
  )}${link === undefined ? '' : html` <a href="${link}">More</a>`}</p></li>`

const words = { added: 'Added', changed: 'ChangeSet', deprecated: 'Deprecated', fixed: 'Fixed' } as const

const style = `
section ul { list-style: none; margin: 0; padding: 0; }
section li { display: grid; grid-template-columns: 6.5rem 1fr; gap: .25rem 1rem; padding: .6rem 0; align-items: baseline; }
section li + li { border-top: 1px solid var(--line); }
section li:target { background: var(--card); outline: .5rem solid var(--card); }
section p { margin: 0; }
.type { font-size: .8125rem; font-weight: 600; color: var(--faint); }
.type.added { color: var(--good); }
.type.fixed, .type.changed { color: var(--link); }
.type.deprecated { color: var(--bad); }
@media (max-width: 34rem) { section li { grid-template-columns: 1fr; } }
`
