export { SlidingWindow, WINDOW_MS } from './sliding-window.ts'
export { WindowMap } from './window-map.ts'
