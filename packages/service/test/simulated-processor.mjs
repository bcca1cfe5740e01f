// The module that a service under simulation is given: the processor of the history that runs.
const call =
  (name) =>
  (...asked) =>
    globalThis.simulatedProcessor[name](...asked);

export default {
  tokenize: call('tokenize'),
  charge: call('charge'),
  lookup: call('lookup'),
  refund: call('refund'),
};
