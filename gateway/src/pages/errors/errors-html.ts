import { type HtmlPage, html, htmlDocument, prose } from '../html.ts'
import type { ErrorEntry, ErrorList } from './error-document.ts'

export function writeErrors({ data }: ErrorList): HtmlPage {
  return htmlDocument({
    path: '/docs/errors',
    title: 'Errors',
    description: 'Every error code of the Millhand API, and what to do about it.',
    style,
    main: html`<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457). <code>type</code> is the address of the error’s page here,
<code>code</code> is stable, and <code>errors</code> names every field that is wrong. Programs get this page as JSON:
<code>Accept: application/json</code>.</p>
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${data.map(
      ({ status, code, title, link }) =>
        html`<tr><td>${status}</td><td><a href="${link}"><code>${code}</code></a></td><td>${title}</td></tr>`,
    )}</tbody>
</table>`,
  })
}

export function writeError({ code, status, title, action, header, should_retry, link }: ErrorEntry): HtmlPage {
  return htmlDocument({
    path: link,
    title,
    description: `What ${code} means, and what to do about it.`,
    style,
    main: html`<p class="faint"><a href="/docs/errors">Errors</a></p>
<h1>${title}</h1>
<dl>
<dt>Code</dt><dd><code>${code}</code></dd>
<dt>HTTP status</dt><dd>${status}</dd>
<dt>What to do</dt><dd>${prose(action)}</dd>
${header === undefined ? '' : html`<dt>Header</dt><dd>Every such answer has <code>${header}</code>.</dd>`}
${should_retry === undefined ? '' : html`<dt>Retry</dt><dd>${retryWords[`${should_retry}`]}</dd>`}
</dl>`,
  })
}

const retryWords = {
  true: 'The same request may succeed later.',
  false: 'The same request fails again.',
  if_idempotent:
    'Send the request again if that can do no harm: a GET, HEAD or DELETE, or a POST with an Idempotency-Key.',
} as const

const style = `
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: baseline; padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line); }
td:first-child { font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: 8rem 1fr; gap: .6rem 1rem; margin: 0; }
dt { color: var(--faint); }
dd { margin: 0; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; gap: .25rem; } dd { margin-bottom: .5rem; } }
`
