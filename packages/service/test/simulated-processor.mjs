// The processor module of a simulated service: the processor of the running history.
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
