// The processor module of a simulated service: the processor of the running history.
const call =
  (name) =>
  (...args) =>
    globalThis.simulatedProcessor[name](...args);

export default {
  tokenize: call('tokenize'),
  charge: call('charge'),
  lookup: call('lookup'),
  refund: call('refund'),
};
