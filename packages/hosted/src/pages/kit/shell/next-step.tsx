import { Button } from '../design/button.js';
import { Icon } from '../design/icons.js';
import { LinkButton } from '../design/link-button.js';
import { webUrl } from '../design/web-url.js';
import { rest, t } from '../text/index.js';
import { useShell } from './shell.js';
import { isInline } from './surroundings.js';

type Step = readonly [label: string, onPress: () => void];

interface NextStepProps {
  returnUrl: string | undefined;
  /** A better next step than going back. */
  first?: Step | false;
}

/** The buttons of a final screen. A stand-alone page without a return URL has no page to go back to. */
export function NextStep({ returnUrl, first = false }: NextStepProps) {
  const { business, connected, close } = useShell();
  const href = webUrl(returnUrl);
  const back = (
    <>
      <Icon name="back" />
      {t.common.backTo(business)}
    </>
  );
  if (href === null && !connected && !first) return <WayBack />;
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
        (!first || isInline(window)) && <Button onPress={() => close('cancel')}>{back}</Button>
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
