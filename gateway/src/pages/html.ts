/** Pages that people read: plain HTML without scripts, in light and dark. */
import { hash } from 'node:crypto'

/** HTML text. What is put into it is escaped, unless it is HTML itself. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export function html(parts: TemplateStringsArray, ...values: readonly (Html | readonly Html[] | string | number)[]) {
  return new Html(String.raw({ raw: parts }, ...values.map(textOf)))
}

function textOf(value: Html | readonly Html[] | string | number): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(textOf).join('')
  return String(value).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** Text in which backticks stand around code. */
export const prose = (text: string): Html[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

export interface Content {
  /** The page's path, which its own link in the navigation is marked by. */
  readonly path: string
  readonly title: string
  /** What a search engine or a preview shows. */
  readonly description: string
  /** Styles beside those of all pages. */
  readonly style: string
  readonly main: Html
}

/** The whole page, and the headers that keep anything else from it. */
export function htmlDocument({ path, title, description, style, main }: Content): HtmlPage {
  const styles = shared + style
  const links = [
    ['/docs', 'Reference'],
    ['/docs/errors', 'Errors'],
    ['/status', 'Status'],
    ['/changelog', 'Changelog'],
  ].map(([to = '', name = '']) => {
    const mark = new Html(to === path ? ' aria-current="page"' : '')
    return html`<a href="${to}"${mark}>${name}</a>`
  })
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title} · Millhand</title>
<link rel="icon" href="/docs/favicon.png">
<style>${new Html(styles)}</style>
</head>
<body>
<header><strong>Millhand</strong><nav aria-label="Pages">${links}</nav></header>
<main>
${main}
</main>
</body>
</html>
`
  return { text, policy: policyOf(styles) }
}

export interface HtmlPage {
  readonly text: string
  /** For `Content-Security-Policy`. */
  readonly policy: string
}

/** Nothing is loaded but the icon, and no style holds but our own. */
const policyOf = (styles: string) =>
  [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', styles, 'base64')}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const shared = `
:root {
  color-scheme: light dark;
  --back: #ffffff; --card: #f6f7f9; --line: #d8dce3; --text: #1b1f27; --faint: #5a6270; --link: #0b57b0;
  --good: #1e7d43; --fair: #946000; --bad: #b3261e; --none: #858d9b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #12151b; --card: #1a1f28; --line: #333b48; --text: #e6e9ef; --faint: #a0a9b8; --link: #7db4ff;
    --good: #4cc27a; --fair: #e0a92e; --bad: #ff7b72; --none: #6b7688;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 56rem; padding: 0 1.25rem 4rem; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
header {
  display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; justify-content: space-between;
  padding: 1.25rem 0; border-bottom: 1px solid var(--line); margin-bottom: 2rem;
}
header strong { font-size: 1.125rem; }
nav { display: flex; flex-wrap: wrap; gap: 1.25rem; }
nav a[aria-current] { color: var(--text); text-decoration: none; font-weight: 600; }
a { color: var(--link); text-underline-offset: .15em; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: 0 0 .75rem; max-width: 44rem; }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.faint { color: var(--faint); font-size: .875rem; }
`
