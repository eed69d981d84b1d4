/** `pnpm start`: everything in one process. */
import { cacheCompiledCode } from './compile-cache.ts'

cacheCompiledCode()
await import('./local-process.ts')
