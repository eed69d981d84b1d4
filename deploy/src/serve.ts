/** `pnpm serve <service>`: one service in this process, on MongoDB, Kafka and gRPC. `docs/many-machines.md` */
import { cacheCompiledCode } from './compile-cache.ts'

cacheCompiledCode()
await import('./serve-process.ts')
