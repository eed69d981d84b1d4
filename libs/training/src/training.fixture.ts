/** What tests and measurements of training share. */
export { evaluate, feedsOf } from './gradient-check.fixture.ts'
export { type Network, openNetwork } from './network.fixture.ts'
export { convolution, dense, networkKinds } from './networks.fixture.ts'
export { numberCases } from './number-cases.fixture.ts'
export { placeCases } from './place-cases.fixture.ts'
