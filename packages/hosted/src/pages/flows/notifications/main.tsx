/** Lets customers choose which e-mails and text messages they get. */
import { useState } from 'preact/hooks';
import { type Preferences, type NotificationsPageSession, NOTIFICATION_KINDS } from '@shared/page.js';
import { CheckField, TextField } from '../../kit/design/field.js';
import { useForm } from '../../kit/design/form.js';
import { ActionForm } from '../../kit/manage/action-form.js';
import { Email } from '../../kit/manage/email.js';
import { ManagePage, startManage } from '../../kit/manage/manage-page.js';
import { say } from '../../kit/manage/page.js';
import { useFormAction } from '../../kit/manage/use-action.js';
import { showFieldErrors } from '../../kit/manage/use-method.js';
import type { FlowProps } from '../../kit/shell/app.js';
import { useShell } from '../../kit/shell/shell.js';
import { manage } from '../../kit/text/index.js';
import {
  changes,
  checkPreferences,
  initialValues,
  PHONE,
  wantsSms,
  channelField,
  formatPhone,
  usNumber,
} from './preferences.js';

startManage(NotificationsPage);

function NotificationsPage({ session }: FlowProps<NotificationsPageSession>) {
  const shell = useShell();
  const action = useFormAction();
  const [initial] = useState(() => initialValues(session.preferences));
  const form = useForm(initial, checkPreferences);
  const phone = form.field(PHONE);
  const text = manage.notifications;
  const email = session.customer?.emailAddress;

  const submit = (): void =>
    action.run<Preferences>(
      () => shell.api.post('notifications', changes(form.values, form.untouched)),
      (saved) => {
        form.reset(initialValues(saved));
        say(text.saved);
      },
      showFieldErrors(form),
    );

  return (
    <ManagePage title={text.title} intro={text.intro(shell.business)}>
      <ActionForm form={form} action={action} submit={text.save} onSubmit={submit}>
        {email !== undefined && (
          <p>
            {text.sentTo} <Email of={email} />
          </p>
        )}
        <ul class="preferences">
          {NOTIFICATION_KINDS.map((kind) => (
            <li key={kind}>
              <fieldset>
                <legend>{text.kinds[kind]}</legend>
                <p class="quiet">{text.hints[kind]}</p>
                <div class="ways">
                  {(['email', 'sms'] as const).map((channel) => (
                    <CheckField
                      key={channel}
                      {...form.field(channelField(kind, channel))}
                      label={text[channel]}
                    />
                  ))}
                </div>
              </fieldset>
            </li>
          ))}
        </ul>
        <TextField
          {...phone}
          type="tel"
          label={text.phone}
          hint={text.phoneHint}
          format={formatPhone}
          prepare={usNumber}
          inputMode="tel"
          autoComplete="tel"
          enterKeyHint="done"
          required={wantsSms(form.values)}
        />
      </ActionForm>
    </ManagePage>
  );
}
