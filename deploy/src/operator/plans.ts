/** `pnpm millhand plans …` */
import { jsonWriter } from '@millhand/api'
import { ListPlansResponseSchema, type PlanInfo } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import { shown } from './accounts.ts'
import type { Command } from './command.ts'
import { planArguments, plansOf } from './plan-arguments.ts'

export const planCommands: readonly Command[] = [
  {
    name: 'plans list',
    words: '',
    count: [0, 0],
    summary: 'Lists the plans that there are, with their limits.',
    async run(_, { accounts }) {
      const list = await accounts.listPlans({})
      return { json: write(list), table: [head, ...list.plans.map(row)] }
    },
  },
  {
    name: 'plans set',
    words: `<account> ${planArguments}`,
    count: [2, 4],
    summary: 'Gives an account other plans, within a second. A family that is left out keeps its own.',
    run: async ({ words: [id = '', ...plans] }, { accounts }) =>
      shown(await accounts.updateAccount({ id, plans: plansOf(plans) })),
  },
]

const write = jsonWriter(ListPlansResponseSchema)

const head = ['FAMILY', 'PLAN', 'REQUESTS A MINUTE', 'TASKS A DAY']

const row = ({ family, name, requestsPerMinute, tasksPerDay }: PlanInfo) => [
  family,
  name,
  requestsPerMinute?.toString() ?? '-',
  tasksPerDay?.toString() ?? '-',
]
