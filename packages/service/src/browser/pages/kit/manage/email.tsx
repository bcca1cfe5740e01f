import { inert } from '../../../../shared/inert.js';

/** An e-mail address: where it has to break, it breaks behind its `@`. */
export function Email({ of }: { of: string }) {
  const [user, host] = inert(of, 254).split('@');
  return (
    <bdi class="strong">
      {user}
      {host !== undefined && (
        <>
          @<wbr />
          {host}
        </>
      )}
    </bdi>
  );
}
