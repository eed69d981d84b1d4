/** `pnpm start`: everything in one process. */
import { cacheCompiledCode } from './compile-cache.ts'
import { cacheResolutions } from './resolution-cache.ts'

cacheCompiledCode()
cacheResolutions()
await import('./local-process.ts')
