/** `MILLHAND_<SERVICE>_URL`: how a process is told where the services that it calls are reached. */
import { type Setting, urls } from '@millhand/process'
import { type CalleeOf, calleesOf, type ServiceName, serviceNames } from './services.ts'

/** Every service that another one calls. */
type Callee = CalleeOf<ServiceName>
export type UrlVariable<Name extends string> = `MILLHAND_${Uppercase<Name>}_URL`
type UrlVariables<Name extends string> = { readonly [Each in Name as UrlVariable<Each>]: Setting<readonly string[]> }

export const urlVariable = <Name extends string>(service: Name): UrlVariable<Name> =>
  `MILLHAND_${service.toUpperCase()}_URL` as UrlVariable<Name>

const settingsOf = <Name extends string>(names: readonly Name[]): UrlVariables<Name> =>
  Object.fromEntries(
    names.map(name => [urlVariable(name), urls(`The URLs of the replicas of ${name}.`, ['http:', 'https:'])]),
  ) as UrlVariables<Name>

/** Those of all services. */
export const urlVariables = settingsOf<Callee>(serviceNames.flatMap(name => calleesOf(name) as Callee[]))

/** Those that the process of a service reads. */
export const urlVariablesOf = <Name extends ServiceName>(service: Name): UrlVariables<CalleeOf<Name>> =>
  settingsOf(calleesOf(service))
