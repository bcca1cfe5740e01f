/** Manages the customer's payment methods: add, make default, rename, update the expiry date, delete. */
import { useState } from 'preact/hooks';
import { inert } from '@shared/inert.js';
import type { WalletPageSession } from '@shared/page.js';
import { Button } from '../../kit/design/button.js';
import { Icon } from '../../kit/design/icons.js';
import { isolate } from '../../kit/format/locale.js';
import { ManagePage, startManage, Unavailable } from '../../kit/manage/manage-page.js';
import { Opener } from '../../kit/manage/opener.js';
import type { FlowProps } from '../../kit/shell/app.js';
import { manage } from '../../kit/text/index.js';
import { AddForm } from './add-form.js';
import { MethodItem } from './method-item.js';
import { useWallet } from './use-wallet.js';

startManage(WalletPage);

function WalletPage({ session }: FlowProps<WalletPageSession>) {
  const wallet = useWallet();
  const methods = session.savedMethods;
  const [adding, setAdding] = useState(false);
  const isEditing = adding || wallet.isEditing;
  const text = manage.wallet;
  const email = session.customer?.emailAddress;
  const isFull = methods.length >= session.maxMethods;
  const canAdd = session.unavailable === undefined && session.methods.length > 0;

  return (
    <ManagePage
      title={text.title}
      intro={email && text.intro(isolate(inert(email, 254)))}
      isDone={methods.length > 0 || !canAdd}
    >
      <Unavailable session={session} />
      {isFull && <p class="panel">{text.full}</p>}
      {methods.length === 0 && !adding && <p class="panel">{text.empty}</p>}
      {methods.length > 0 && (
        <ul class="items">
          {methods.map((method) => (
            <li key={method.id}>
              <MethodItem session={session} wallet={wallet} method={method} hasMenu={!isEditing} />
            </li>
          ))}
        </ul>
      )}
      {canAdd && !isFull && (adding || !isEditing) && (
        <Opener
          open={adding}
          button={
            <Button kind={methods.length > 0 ? 'quiet' : 'primary'} onPress={() => setAdding(true)}>
              <Icon name="plus" />
              {text.add}
            </Button>
          }
        >
          <AddForm
            session={session}
            onAdded={(method) => {
              setAdding(false);
              wallet.showAdded(method);
            }}
            onCancel={() => setAdding(false)}
          />
        </Opener>
      )}
    </ManagePage>
  );
}
