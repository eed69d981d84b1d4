/** How many blanks all the lines have before their text; lines without one do not count. */
export function indentation(lines: readonly string[]): number {
  const depths = lines.map(line => line.search(/\S/)).filter(depth => depth >= 0)
  return depths.length === 0 ? 0 : depths.reduce((least, depth) => Math.min(least, depth))
}
