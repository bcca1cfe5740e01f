import { Button } from '../design/button.js';
import { Icon } from '../design/icons.js';
import { LinkButton } from '../design/link-button.js';
import { webUrl } from '../design/web-url.js';
import { rest, t } from '../text/index.js';
import { useShell } from './shell.js';

interface NextStepProps {
  returnUrl: string | undefined;
  /** A better next step than going back. */
  first?: readonly [label: string, onPress: () => void] | false;
}

/** The buttons of a final screen. A stand-alone page without a return URL knows no page to go back to. */
export function NextStep({ returnUrl, first = false }: NextStepProps) {
  const { business, framed, close } = useShell();
  const href = webUrl(returnUrl);
  const kind = first ? 'secondary' : 'primary';
  const back = (
    <>
      <Icon name="back" />
      {t.common.backTo(business)}
    </>
  );
  return (
    <div class="actions">
      {first && <Button onPress={first[1]}>{first[0]}</Button>}
      {href !== null ? (
        <LinkButton href={href} kind={kind}>
          {back}
        </LinkButton>
      ) : framed ? (
        <Button kind={kind} onPress={() => close('cancel')}>
          {back}
        </Button>
      ) : (
        !first && <p>{rest.common.youMayClose}</p>
      )}
    </div>
  );
}
