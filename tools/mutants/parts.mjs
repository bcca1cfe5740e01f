// The code that `pnpm mutants` mutates, in parts, and the unit tests that must detect the mutants.
const service = (...globs) => globs.map((glob) => `packages/service/src/${glob}`);

/** @type {Readonly<Record<string, { project: string, mutate: string[] }>>} */
export const PARTS = {
  rules: { project: 'service', mutate: service('*/rules.ts', '*/rules/*.ts', 'core/*.ts') },
  money: {
    project: 'service',
    mutate: service('{payments,refunds,wallet,autopay,schedules,processor}/*.ts'),
  },
  http: { project: 'service', mutate: service('{api,hosted-pages/api}/*.ts') },
  jobs: { project: 'service', mutate: service('{jobs,webhooks}/*.ts') },
  server: { project: 'server', mutate: ['packages/server/src/*.ts'] },
  react: { project: 'react', mutate: ['packages/react/src/*.{ts,tsx}'] },
  loader: { project: 'loader', mutate: ['packages/loader/src/*.ts'] },
};
