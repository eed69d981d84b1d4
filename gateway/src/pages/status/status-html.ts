import type { ErrorBudget } from '../../status/error-budget.ts'
import { COMPONENT_TARGET, FAST_MS, type TargetName } from '../../status/targets.ts'
import { Html, type HtmlPage, html, htmlDocument } from '../html.ts'
import { count, date, duration, moment, percent } from './format.ts'
import type { ComponentStatus, Status, TargetStatus } from './status-document.ts'
import { style } from './style.ts'
import { bars } from './uptime-bars.ts'

export function writeStatus(status: Status): HtmlPage {
  const down = status.components.filter(each => each.status === 'down').map(({ name }) => name)
  const faults = [...Map.groupBy(down, faultOf)].map(([fault, names]) => `${fault}: ${names.join(', ')}`)
  return htmlDocument({
    path: '/status',
    title: 'Status',
    description: 'How Millhand does now, and how it did in the last 90 days.',
    style,
    main: html`<h1>Status</h1>
<p class="now ${down.length === 0 ? 'up' : 'down'}"><strong>${
      down.length === 0 ? 'Everything works' : faults.join('; ')
    }</strong><span>${moment(status.updated_at)}</span></p>
${status.history_is_current ? new Html('') : missing}
<h2>Components</h2>
<ul class="rows">${status.components.map(component)}</ul>
<h2>Targets</h2>
<ul class="rows">${status.targets.map(target)}</ul>
${legend}
${table(status)}
<h2>How this is measured</h2>
<p>By the gateways themselves while they run: each looks once a second which parts it reaches, and counts its requests.
All gateways report what they counted every ten seconds, and their counts are added up and kept, also over a restart; a gateway
that is killed loses its last ten seconds. Times in which no gateway ran are not in here. Days are UTC, and today’s figures are
up to 20 seconds old.</p>
<p>A request is one call of the API, by REST or gRPC, that was answered, also by a refusal. The error budget is the number of
requests that may miss the target: those of the last 30 days, times one minus the target.</p>
<p>Requests of the sandbox are not counted: the errors there are the ones that callers ask for.</p>
<p>Programs get this page as JSON: <code>Accept: application/json</code>.</p>`,
  })
}

const missing = html`<p class="notice" role="status"><strong>The history can’t be read just now.</strong> What is shown of the
last 90 days is what this gateway heard before.</p>`

const component = ({ name, status, since, uptime, days }: ComponentStatus) => html`<li>
<div class="head"><h3>${name}</h3><span class="state ${status}">${status === 'up' ? 'Works' : faultOf(name)} <span
class="faint">since ${moment(since)}</span></span></div>
<p class="faint">${purposes.get(name) ?? ''}</p>
${bars(days, {
  label: `${name}, last 90 days: ${uptime === undefined ? 'nothing recorded' : `${percent(uptime)} of the time`}`,
  goal: COMPONENT_TARGET,
  words: ({ total, missed }) => (missed === 0 ? `there for all of ${duration(total)}` : `away for ${duration(missed)}`),
})}
<p class="scale faint"><span>90 days ago</span><strong>${
  uptime === undefined ? 'nothing yet' : percent(uptime)
}</strong><span>Today</span></p>
</li>`

/** What the parts are for. */
const purposes = new Map([
  ['gateway', 'Answers requests'],
  ['identity', 'Accounts, keys and limits'],
  ['compute', 'Tasks, files and models'],
  ['billing', 'Usage and bills'],
  ['webhook', 'Webhooks and events'],
  ['deliveries', 'Telling webhooks in time'],
  ['store', 'Documents and events'],
  ['rpc', 'gRPC, gRPC-Web and Connect'],
  ['token', 'The credentials of this gateway'],
])

/** What it is that does not work. */
const faultOf = (name: string): string => (name === 'deliveries' ? 'Late' : 'Not reachable')

const target = ({ name, target: goal, share, error_budget, days }: TargetStatus) => html`<li>
<div class="head"><h3>${promises[name].title}</h3>${
  share === undefined
    ? html`<span class="state faint">Nothing counted yet</span>`
    : html`<span class="state ${share >= goal ? 'up' : 'down'}">${share >= goal ? 'Held' : 'Missed'}</span>`
}</div>
<p class="faint">${promises[name].promise(percent(goal))}</p>
${bars(days, {
  label: `${promises[name].title}, last 90 days: ${share === undefined ? 'nothing counted' : percent(share)}`,
  goal,
  words: ({ total, missed }) => `${percent(1 - missed / total)} of ${count(total)} requests`,
})}
<p class="scale faint"><span>90 days ago</span><strong>${
  share === undefined ? 'nothing yet' : percent(share)
}</strong><span>Today</span></p>
${budget(error_budget)}
</li>`

const budget = ({ days, requests, allowed, missed, spent, since }: ErrorBudget) =>
  spent === undefined || since === undefined
    ? html`<p class="faint">Error budget of ${days} days: nothing counted yet.</p>`
    : html`<p class="faint">Error budget of ${days} days: <strong>${percent(spent)} spent</strong>. ${count(missed)} of
${count(requests)} requests missed the target, and ${count(allowed)} may. Counted since ${moment(since)}.</p>`

const promises: Readonly<Record<TargetName, Promised>> = {
  answered: {
    title: 'Answered',
    promise: goal => `${goal} of requests are answered without a fault of ours (5xx).`,
  },
  fast: {
    title: 'Fast',
    promise: goal => `${goal} of requests are answered within ${FAST_MS} ms; waits, streams and files have no limit.`,
  },
}

interface Promised {
  readonly title: string
  promise(goal: string): string
}

const legend = html`<p class="legend faint"><span class="good">as promised</span><span class="fair">below it</span><span
class="bad">a tenth or more missing</span><span class="none">nothing recorded</span></p>`

/** The bars in words, for whoever can't see or point at them. */
function table({ components, targets }: Status): Html {
  const shown = [...targets, ...components]
  const recorded = (targets[0]?.days ?? [])
    .map(({ day }, at) => ({ day, cells: shown.map(({ days }) => days[at] ?? { total: 0, missed: 0 }) }))
    .filter(({ cells }) => cells.some(({ total }) => total > 0))
    .reverse()
  if (recorded.length === 0) return new Html('')
  const names = shown.map(({ name }) => (name in promises ? promises[name as TargetName].title : name))
  return html`<details><summary>Day by day, as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Day by day"><table>
<thead><tr><th scope="col">Day</th>${names.map(name => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${recorded.map(
    ({ day, cells }) =>
      html`<tr><th scope="row">${date(day)}</th>${cells.map(
        ({ total, missed }) => html`<td>${total === 0 ? '–' : percent(1 - missed / total)}</td>`,
      )}</tr>`,
  )}</tbody>
</table></div></details>`
}
