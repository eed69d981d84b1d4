/** A report as one page of HTML that loads nothing and runs nothing. */
import type { Block, Report } from './document.ts'

export const htmlOf = ({ title, subtitle, sections }: Report): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p class="subtitle">${escaped(subtitle)}</p>
${sections.map(({ heading, blocks }) => `<section>\n<h2>${escaped(heading)}</h2>\n${blocks.map(written).join('\n')}\n</section>`).join('\n')}
</body>
</html>
`

function written(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p>${escaped(block.text)}</p>`
    case 'heading':
      return `<h3>${escaped(block.text)}</h3>`
    case 'list':
      return `<ul>${block.items.map(item => `<li>${escaped(item)}</li>`).join('')}</ul>`
    case 'table':
      return `<div class="table"><table><thead>${row('th', block.header)}</thead><tbody>${block.rows.map(cells => row('td', cells)).join('')}</tbody></table></div>`
    case 'picture':
      return `<figure>${block.svg}</figure>`
    case 'query':
      return `<pre><code>${escaped(block.text)}</code></pre>`
  }
}

const row = (cell: 'th' | 'td', cells: readonly string[]) =>
  `<tr>${cells.map(text => `<${cell}>${escaped(text)}</${cell}>`).join('')}</tr>`

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`)

const STYLE = `
body{font:16px/1.55 system-ui,sans-serif;color:#1d2733;max-width:52rem;margin:2rem auto;padding:0 1rem}
h1{margin-bottom:0}.subtitle{color:#5a6675;margin-top:.2rem}h2{margin-top:2.5rem;border-bottom:1px solid #d8dee6}
h3{margin-top:2rem}figure{margin:1rem 0}svg{max-width:100%;height:auto}.table{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.9rem}th,td{text-align:left;padding:.3rem .7rem;border-bottom:1px solid #e3e8ee;overflow-wrap:break-word}
pre{background:#f4f6f9;padding:.7rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8rem}
@media print{section{break-inside:auto}figure,tr{break-inside:avoid}}
`.replaceAll('\n', '')
