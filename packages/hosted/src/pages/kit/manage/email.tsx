import { inert } from '@shared/inert.js';

/** An e-mail address that wraps only after its `@`. */
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
