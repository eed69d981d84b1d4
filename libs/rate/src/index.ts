export { Ring, WINDOW_MS } from './ring.ts'
export { Windows } from './windows.ts'
