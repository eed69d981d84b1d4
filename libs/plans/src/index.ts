export type { ComputePlan, DeveloperPlan, WorkforcePlan } from './plan.ts'
export { loadPlans, type Plans } from './plans.ts'
