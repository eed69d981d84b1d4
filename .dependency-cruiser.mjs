/** Who may import whom: the rules of the architecture that a machine can hold. `pnpm check` runs it. */

import { globSync } from 'node:fs'
import { dirname } from 'node:path'

const adapters =
  '^(libs/[^/]+/src/(sqlite|filesystem|mongo|kafka|gridfs)/|services/[^/]+/src/(onnx|drivers/docker|drivers/kubernetes|payment/stripe)/)'
const kinds = globSync('services/workforce/employees/*/*/kind.json', { cwd: import.meta.dirname }).map(
  path => `^${dirname(path)}/`,
)
/** What only tests need: tests, suites of contracts, helpers, measurements. */
const tests = '(\\.(test|contract|fixture|bench)\\.ts$|/fixtures/|^gateway/test/)'

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that import each other are one idea, or miss a third. An import of types counts as well.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'services-stand-alone',
      comment: 'A service asks another by RPC or listens to its events; it never imports it, nor the gateway.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^(services|gateway|deploy)/', pathNot: '^services/$1/' },
    },
    {
      name: 'gateway-knows-no-service',
      comment: 'The gateway knows the contract, not who answers it.',
      severity: 'error',
      from: { path: '^gateway/' },
      to: { path: '^(services|deploy)/' },
    },
    {
      name: 'workforce-knows-no-employee',
      comment: 'The service knows employees by its own port: which of them there are, `deploy/` says.',
      severity: 'error',
      from: { path: '^services/workforce/src/' },
      to: { path: '^services/workforce/employees/' },
    },
    {
      name: 'employees-know-the-port',
      comment: 'An employee knows of the service what goes into a run and comes out of it.',
      severity: 'error',
      from: { path: '^services/workforce/employees/', pathNot: tests },
      to: { path: '^services/workforce/src/', pathNot: '^services/workforce/src/employee\\.ts$' },
    },
    {
      name: 'employees-stand-alone',
      comment: 'What two employees share is in a folder of `src/` that is named for what it is.',
      severity: 'error',
      from: { path: '^services/workforce/employees/([^/]+)/', pathNot: tests },
      to: { path: '^services/workforce/employees/', pathNot: '^services/workforce/employees/($1|src)/' },
    },
    {
      name: 'employees-read-no-library',
      comment: 'The process of a kind is isolated: it may read the files of the employees, and no library of ours.',
      severity: 'error',
      from: { path: '^services/workforce/employees/(?!src/)[^/]+/', pathNot: tests },
      to: { path: '^libs/' },
    },
    {
      name: 'nothing-names-a-kind',
      comment: 'A kind of work comes and goes with its folder: what others need of it is the employee’s.',
      severity: 'error',
      from: {
        path: '^(?:services/workforce/employees/([^/]+/[^/]+)/|(?:services|gateway|libs|deploy)/)',
        pathNot: tests,
      },
      to: { path: kinds, pathNot: '^services/workforce/employees/$1/' },
    },
    {
      name: 'libs-are-below',
      comment: 'A library knows nothing of what is built from it.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(services|gateway|deploy)/' },
    },
    {
      name: 'api-is-the-ground',
      comment: 'The contract in code stands on no other library of ours.',
      severity: 'error',
      from: { path: '^libs/api/' },
      to: { path: '^libs/', pathNot: '^libs/api/' },
    },
    {
      name: 'deploy-alone-chooses-adapters',
      comment: 'Only deploy/, tests and other adapters import an adapter.',
      severity: 'error',
      from: { path: '^(gateway|services|libs)/', pathNot: [tests, adapters] },
      to: { path: adapters },
    },
    {
      name: 'sqlite-is-an-adapter',
      comment: 'Only an adapter talks to SQLite.',
      severity: 'error',
      from: { path: '^(gateway|services|libs|deploy)/', pathNot: [tests, adapters] },
      to: { path: '^(node:)?sqlite$' },
    },
    {
      name: 'engines-are-behind-adapters',
      comment: 'Only an adapter talks to MongoDB or to Kafka.',
      severity: 'error',
      from: { path: '^(gateway|services|libs|deploy)/', pathNot: [tests, adapters] },
      to: { path: 'node_modules/(mongodb|kafkajs)/' },
    },
    {
      name: 'onnx-is-an-adapter',
      comment:
        'Only `libs/onnxruntime` and the ONNX runner talk to ONNX Runtime, and only the latter decodes pictures.',
      severity: 'error',
      from: { path: '^(gateway|services|libs|deploy)/', pathNot: [tests, adapters, '^libs/onnxruntime/'] },
      to: { path: 'node_modules/(onnxruntime-node|sharp)/' },
    },
    {
      name: 'llama-is-an-adapter',
      comment: 'Only `libs/gguf` talks to llama.cpp.',
      severity: 'error',
      from: { path: '^(gateway|services|libs|deploy)/', pathNot: [tests, '^libs/gguf/'] },
      to: { path: 'node_modules/node-llama-cpp/' },
    },
    {
      name: 'stripe-is-an-adapter',
      comment: 'Only the adapter of Stripe talks to Stripe.',
      severity: 'error',
      from: { path: '^(gateway|services|libs|deploy)/', pathNot: [tests, adapters] },
      to: { path: 'node_modules/stripe/' },
    },
    {
      name: 'product-without-tests',
      comment: 'What is shipped imports nothing that only tests need: no test, no contract suite, no `.fixture`.',
      severity: 'error',
      from: { path: '^(gateway|services|libs|deploy)/', pathNot: tests },
      to: { path: ['^test/', tests] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/src/gen/' },
    // Imports of types count: they tie two files together as well.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
}
