// The form on each endpoint's page. It sends requests to `embedded-sessions dev`, from the site of `docs:dev` (decision 0073).
import { defineComponent, h, ref } from 'vue';
import './try-form.css';

/** Shared by all pages, so that the reader enters them once. */
const baseUrl = ref('http://127.0.0.1:4100');
const apiKey = ref('');

const NO_RESPONSE = `No response. Start \`npx embedded-sessions dev\`, and open this page at the address that
\`npx -y pnpm@12 docs:dev\` prints: dev accepts requests from no other page.`;

const readable = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

export const TryForm = defineComponent(
  ({ path, body }) => {
    const sent = ref(readable(body));
    const output = ref('');
    const isSending = ref(false);

    async function send(event) {
      event.preventDefault();
      isSending.value = true;
      try {
        const response = await fetch(new URL(path, baseUrl.value), {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-service-api-key': apiKey.value.trim() },
          body: sent.value,
        });
        output.value = `${response.status} ${response.statusText}\n\n${readable(await response.text())}`;
      } catch {
        output.value = NO_RESPONSE;
      } finally {
        isSending.value = false;
      }
    }

    const field = (label, value, tag = 'input', more = {}) =>
      h('label', [
        label,
        h(tag, {
          required: true,
          value: value.value,
          onInput: ({ target }) => (value.value = target.value),
          ...more,
        }),
      ]);

    return () =>
      h('form', { class: 'try-form', onSubmit: send }, [
        field('Base URL', baseUrl, 'input', { type: 'url' }),
        field('API key', apiKey, 'input', { placeholder: 'stg_…', autocomplete: 'off', spellcheck: false }),
        field('JSON body', sent, 'textarea', { rows: sent.value.split('\n').length, spellcheck: false }),
        h('button', { disabled: isSending.value }, isSending.value ? 'Sending…' : 'Send'),
        h('pre', { role: 'status' }, output.value),
      ]);
  },
  { props: ['path', 'body'] },
);
