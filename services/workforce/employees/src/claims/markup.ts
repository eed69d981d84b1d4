/** A text without its markup: headings, emphasis and code claim nothing by their signs. */

/** Of the same sentences, with code left out. */
export const withoutMarkup = (text: string): string =>
  text
    .replaceAll(/^ {0,3}(?:```|~~~)[^\n]*\n[\s\S]*?(?:^ {0,3}(?:```|~~~)[^\n]*$|(?![\s\S]))/gm, '\n')
    .replaceAll(/`[^`\n]{1,200}`/g, ' ')
    .replaceAll(/^ {0,3}#{1,6} +(.*?)#* *$/gm, '$1')
    .replaceAll(/^ {0,3}[>*+-] +/gm, '')
    .replaceAll(/(\*\*|__)(?=\S)([^*_\n]{1,300})\1/g, '$2')

/** Options of a command line, in code or not: “--dry-run”. */
export const optionsIn = (text: string): string[] =>
  text.match(/(?<![\p{L}\p{N}-])--(?!(?:version|help)(?![a-z\d-]))[a-z][a-z\d-]{1,40}/giu) ?? []
