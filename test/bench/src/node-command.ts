/** Starts files as `pnpm start` starts its own. */
export const nodeCommand = (...words: readonly string[]): string[] => [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=32',
  ...words,
]
