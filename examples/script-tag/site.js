// The site's own script: the loader's buttons run the payment, this shows the result. Whatever the dialog reports, the bill is
// paid only when the backend has asked the service.
const outcome = document.getElementById('outcome');

function say(text, kind = '') {
  outcome.className = `notice ${kind}`;
  outcome.role = kind === 'notice--bad' ? 'alert' : 'status';
  outcome.textContent = text;
}

async function post(url) {
  const answer = await fetch(url, { method: 'POST' });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
}

const show = {
  canceled: () => say('Nothing was charged.'),
  expired: () => say('That took a while and has expired. Please start again.'),
  // The loader already shows the failure next to its button. A developer who mixed up the environments needs the details.
  failed: ({ error }) => error.code === 'environment_mismatch' && say(error.message, 'notice--bad'),
};

document.addEventListener('embedded-session:settled', ({ target, detail: result }) => {
  if (result.status in show) return show[result.status](result);
  if (!target.closest('[data-embedded-payment]')) return location.reload();
  say('Confirming your payment…');
  post('/api/payments/confirm').then(
    () => location.reload(),
    () => say('We could not confirm this yet. Reload in a moment before you pay again.', 'notice--bad'),
  );
});

for (const form of document.querySelectorAll('form[data-post]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    post(form.action).then(
      () => location.reload(),
      () => say('That did not work. Please try again.', 'notice--bad'),
    );
  });
