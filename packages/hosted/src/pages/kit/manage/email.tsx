import { inert } from '@shared/inert.js';

/** An e-mail address that wraps only after its `@`. `plain`: styled like the surrounding text. */
export function Email({ of, plain }: { of: string; plain?: boolean }) {
  const [user, host] = inert(of, 254).split('@');
  return (
    <bdi class={plain === true ? 'whole' : 'strong'}>
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
