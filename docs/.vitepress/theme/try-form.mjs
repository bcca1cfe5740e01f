// The form on each endpoint's page. It works against `embedded-sessions dev` from the site of `docs:dev` (decision 0073).
import { defineComponent, h, ref } from 'vue';
import './try-form.css';

/** The same on every page that the reader opens. */
const baseUrl = ref('http://127.0.0.1:4100');
const apiKey = ref('');

const NO_ANSWER = `No answer. Start \`npx embedded-sessions dev\`, and open this page at the address that
\`npx -y pnpm@12 docs:dev\` prints: dev answers no other page.`;

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
    const answer = ref('');
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
        answer.value = `${response.status} ${response.statusText}\n\n${readable(await response.text())}`;
      } catch {
        answer.value = NO_ANSWER;
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
        h('pre', { role: 'status' }, answer.value),
      ]);
  },
  { props: ['path', 'body'] },
);
