import { useActionState } from 'react';
import { changeProfile, type SiteView } from './site.js';

/** Changes reach the service as `Accounts.ManageCustomer` events, sent by the backend. */
export function Profile(props: { customer: SiteView['customer']; onView: (view: SiteView) => void }) {
  const { customer, onView } = props;
  const [notice, save, saving] = useActionState<{ kind: 'ok' | 'bad'; text: string } | null, FormData>(
    async (_, form) => {
      try {
        const fields = [...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
        onView(await changeProfile(Object.fromEntries(fields)));
        return { kind: 'ok', text: 'Saved.' };
      } catch (error) {
        return { kind: 'bad', text: error instanceof Error ? error.message : String(error) };
      }
    },
    null,
  );
  return (
    <section className="card" aria-labelledby="profile-title">
      <h2 id="profile-title">Who gets the bill</h2>
      <form className="form" action={save} key={Object.values(customer).join()}>
        <label>
          First name
          <input name="firstName" autoComplete="given-name" required defaultValue={customer.firstName} />
        </label>
        <label>
          Last name
          <input name="lastName" autoComplete="family-name" required defaultValue={customer.lastName} />
        </label>
        <label>
          Email address
          <input
            name="emailAddress"
            type="email"
            autoComplete="email"
            required
            defaultValue={customer.emailAddress}
          />
        </label>
        <div className="row">
          <button className="button button--small" aria-busy={saving} disabled={saving}>
            Save changes
          </button>
        </div>
        <p
          role={notice?.kind === 'bad' ? 'alert' : 'status'}
          className={`notice small notice--${notice?.kind}`}
        >
          {notice?.text}
        </p>
      </form>
    </section>
  );
}
