// The demo on the home page: a merchant's page with the fake loader from @embedded-sessions/loader/testing. The payment is open
// from the start, so the page shows the product before you press anything.
import { defineComponent, h, nextTick, onMounted, ref } from 'vue';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import './hero-demo.css';

const SESSION = { sessionUrl: 'https://staging.pay.example/s/stg_demo#secret', environment: 'staging' };
const PROCESSING_MS = 900;

export const HeroDemo = defineComponent(() => {
  const { loader, flows } = createFakeLoader();
  /** The content of the modal. */
  const step = ref('form');
  const status = ref();
  const opener = ref();
  const first = ref();
  onMounted(pay);

  const flow = () => flows.at(-1);
  const show = async (next) => {
    step.value = next;
    await nextTick();
    (next === 'closed' ? opener : first).value?.focus({ preventScroll: true });
  };

  async function pay() {
    status.value = undefined;
    const service = await loader.load();
    const settled = service.completePayment(SESSION);
    // On loading, the focus stays where it is.
    if (step.value === 'closed') await show('form');
    status.value = (await settled).status;
    await show('closed');
  }

  async function send() {
    flow().processing();
    step.value = 'sending';
    await new Promise((resolve) => setTimeout(resolve, PROCESSING_MS));
    flow().complete({ Status: 'Succeeded' }, { stays: true });
    await show('paid');
  }

  const field = (label, value) => h('div', { class: 'demo-field' }, [h('span', label), h('b', value)]);

  const form = () => [
    h('p', { class: 'demo-amount' }, '$76.30'),
    field('Card number', '4242 4242 4242 4242'),
    h('div', { class: 'demo-pair' }, [field('Expiry date', '12 / 34'), field('Security code', '123')]),
    h(
      'button',
      {
        ref: first,
        class: 'demo-button',
        'aria-disabled': step.value === 'sending',
        onClick: () => step.value === 'form' && send(),
      },
      step.value === 'sending' ? 'Processing…' : 'Pay $76.30',
    ),
  ];

  const receipt = () => [
    h('p', { class: 'demo-check', 'aria-hidden': 'true' }, '✓'),
    h('p', { class: 'demo-done' }, 'Payment complete'),
    h('p', { class: 'demo-amount' }, '$76.30'),
    h('button', { ref: first, class: 'demo-button', onClick: () => flow().close() }, 'Done'),
  ];

  const modal = () =>
    h('div', { class: 'demo-cover' }, [
      h('div', { class: 'demo-modal', role: 'group', 'aria-label': 'Demo of the payment window' }, [
        h('div', { class: 'demo-brand' }, [
          h('i', { class: 'demo-logo', 'aria-hidden': 'true' }),
          h('span', 'Harborlight Water'),
          step.value !== 'sending' &&
            h('button', { class: 'demo-close', 'aria-label': 'Close', onClick: () => flow().close() }, '×'),
        ]),
        ...(step.value === 'paid' ? receipt() : form()),
      ]),
    ]);

  const bill = () =>
    h('div', { class: 'demo-bill' }, [
      h('p', { class: 'demo-small' }, 'Your bill for November'),
      h('p', { class: 'demo-amount' }, '$76.30'),
      h('p', { class: 'demo-small' }, status.value === 'completed' ? 'Paid just now' : 'Due December 9'),
      h(
        'button',
        { ref: opener, class: 'demo-button', onClick: pay },
        status.value === 'completed' ? 'Pay again' : 'Pay my bill',
      ),
    ]);

  return () =>
    h('div', { class: 'demo' }, [
      h('div', { class: 'demo-window' }, [
        h('div', { class: 'demo-bar', 'aria-hidden': 'true' }, [
          h('i'),
          h('i'),
          h('i'),
          h('span', 'your-page.example'),
        ]),
        h('div', { class: 'demo-page' }, [
          h('div', { inert: step.value !== 'closed' }, bill()),
          step.value !== 'closed' && modal(),
        ]),
      ]),
      h('pre', { class: 'demo-code' }, [
        h('code', [
          h('span', 'const { status } = await pay(session);\n'),
          h('span', { role: 'status' }, [
            status.value === undefined
              ? h('em', step.value === 'closed' ? '// Press the button' : '// Pay, or close the window')
              : h('strong', `'${status.value}'`),
          ]),
        ]),
      ]),
    ]);
});
