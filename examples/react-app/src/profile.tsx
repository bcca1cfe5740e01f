import { useActionState } from 'react';
import { Notice, failed, type Message } from './notice.js';
import { changeEmail, type SiteView } from './site.js';

/** Changes reach the service as an `Accounts.ManageCustomer` event, sent by the backend. */
export function Profile(props: { emailAddress: string; onView: (view: SiteView) => void }) {
  const { emailAddress, onView } = props;
  const [message, save, isSaving] = useActionState(
    async (_: Message | undefined, form: FormData): Promise<Message> => {
      try {
        onView(await changeEmail(form.get('emailAddress') as string));
        return { text: 'Saved.' };
      } catch (error) {
        return failed(error);
      }
    },
    undefined,
  );
  return (
    <section className="card stack" aria-labelledby="profile-title">
      <h2 id="profile-title">Who gets the bill</h2>
      <form className="stack" action={save} key={emailAddress}>
        <label>
          Email address
          <input name="emailAddress" type="email" autoComplete="email" required defaultValue={emailAddress} />
        </label>
        <div className="row">
          <button className="button" disabled={isSaving}>
            Save changes
          </button>
        </div>
      </form>
      <Notice message={message} />
    </section>
  );
}
