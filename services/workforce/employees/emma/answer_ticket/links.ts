/** Links of Markdown by reference, such as `[open an issue][new]`: a sentence alone has no target for them. */

/** With the targets that the text defines. Links that lead to no address, but elsewhere beside the text, are their words. */
export function withTargets(text: string): string {
  const targets = new Map(
    Array.from(text.matchAll(definition), ([, name = '', target = '']) => [name.toLowerCase(), target]),
  )
  return text
    .replace(definition, '')
    .replace(reference, (whole, words: string, name: string) => {
      const target = targets.get((name === '' ? words.replaceAll('\n', ' ') : name).toLowerCase())
      return target === undefined ? whole : `[${words}](${target})`
    })
    .replace(/(?<!!)\[([^[\]\n]{1,300})\]\((?![a-z][a-z\d+.-]{1,20}:)[^()\s]{0,500}\)/gi, '$1')
}

const definition = /^ {0,3}\[([^[\]\n]{1,200})\]:[ \t]{1,9}<?([^\s<>]{1,2000})>?[ \t]{0,9}(?:["'(][^\n]{0,300})?$/gm
/** Its words may go on in the next line. */
const reference = /(?<![\p{L}\p{N}\])!])\[((?:[^[\]\n]|\n(?!\s)){1,300})\]\[([^[\]\n]{0,200})\]/gu
