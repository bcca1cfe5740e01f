/** The buttons of a final screen. */
import { isInline } from '../../../page-state.js';
import { Button } from '../design/button.js';
import { Icon } from '../design/icons.js';
import { LinkButton } from '../design/link-button.js';
import { webUrl } from '../design/web-url.js';
import { rest, t } from '../text/index.js';
import { legalOfPage } from './legal.js';
import { useShell } from './shell.js';

type Step = readonly [label: string, onPress: () => void];

interface NextStepProps {
  returnUrl?: string | undefined;
  /** A better next step than going back. */
  first?: Step | false;
  /** The text asks the payer to contact the business. */
  contact?: boolean;
}

/** Whether the merchant's page can get a new session. */
export const mayRenew = (): boolean => /[?&]renew=/.test(location.search);

/** Where a payer goes back to: the merchant's page around this one, the session's return URL, or the payer's account. */
export function backUrl(returnUrl: string | undefined, connected: boolean): string | null {
  return webUrl(returnUrl) ?? (connected ? null : webUrl(legalOfPage().links?.account));
}

export function NextStep({ returnUrl, first = false, contact = false }: NextStepProps) {
  const shell = useShell();
  const { business, connected } = shell;
  const href = backUrl(returnUrl, connected);
  const help = contact ? webUrl(legalOfPage().links?.help) : null;
  const back = (
    <>
      <Icon name="back" />
      {t.common.backTo(business)}
    </>
  );
  if (href === null && help === null && !connected && !first) return <WayBack />;
  return (
    <div class="actions">
      {first && <Button onPress={first[1]}>{first[0]}</Button>}
      {href !== null ? (
        <LinkButton href={href} kind={first ? 'secondary' : 'primary'}>
          {back}
        </LinkButton>
      ) : (
        connected &&
        // A dialog's × does the same.
        (!first || isInline(window)) && <Button onPress={() => shell.close('cancel')}>{back}</Button>
      )}
      {help !== null && (
        <LinkButton href={help} kind={href === null && !connected && !first ? 'primary' : 'secondary'} opens>
          {rest.common.contact(business)}
        </LinkButton>
      )}
    </div>
  );
}

/** The fallback: goes back to the page that linked here, unless this page was opened in a new tab. */
export function WayBack() {
  return (
    <div class="actions">
      {parent === window && document.referrer !== '' && history.length > 1 ? (
        <Button onPress={() => history.back()}>{rest.common.goBack}</Button>
      ) : (
        <p>{rest.common.youMayClose}</p>
      )}
    </div>
  );
}
