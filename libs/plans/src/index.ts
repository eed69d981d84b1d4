export type { ComputePlan, DeveloperPlan, WorkforcePlan } from './plan.ts'
export { loadPlans, type Plans } from './plans.ts'
export type { PriceSet } from './price-file.ts'
export { type Prices, pricesOf } from './prices.ts'
