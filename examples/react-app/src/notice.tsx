export interface Message {
  text: string;
  bad?: boolean;
}

export function Notice({ message }: { message: Message | undefined }) {
  return (
    <p className="notice" role={message?.bad ? 'alert' : 'status'}>
      {message?.text}
    </p>
  );
}

/** Returns the message for an error of a call to our backend. */
export const failed = (error: unknown): Message => ({
  text: error instanceof Error ? error.message : String(error),
  bad: true,
});
