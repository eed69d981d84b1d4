/** Those with which `pnpm start` starts its own processes. */
export const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32']

/** Starts a file with them. */
export const nodeCommand = (...words: readonly string[]): string[] => [process.execPath, ...nodeFlags, ...words]
