/** The whole of it as one file, which has no types of its own. */
declare module 'echarts/dist/echarts.esm.min.mjs' {
  export { init } from 'echarts'
}
