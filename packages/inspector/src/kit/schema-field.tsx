/** Form fields for a JSON schema. */
import type { Json } from '@shared/inspector.js';
import { beginning, fieldOf, isObject, withField, type Schema } from '../schema.js';

interface FieldProps {
  name: string;
  schema: Schema;
  value: Json | undefined;
  isRequired: boolean;
  /** Whether the field cannot be removed. */
  onChange: (value: Json | undefined) => void;
}

function SchemaField(props: FieldProps): preact.JSX.Element {
  const { schema, value, name, isRequired, onChange } = props;
  if (schema.type === 'boolean') return <Check {...props} />;
  if (schema.type !== 'object' && schema.type !== 'array') return <Line {...props} />;
  if (schema.type === 'object' && !schema.properties) return <Free {...props} />;
  if (value === undefined)
    return (
      <p>
        <button type="button" onClick={() => onChange(beginning(schema))}>
          {`Add ${name}`}
        </button>
      </p>
    );
  return (
    <fieldset>
      <legend>{name}</legend>
      {schema.type === 'array' ? (
        <Items {...props} />
      ) : (
        <Properties schema={schema} value={value} onChange={onChange} />
      )}
      {!isRequired && (
        <button type="button" onClick={() => onChange(undefined)}>
          {`Remove ${name}`}
        </button>
      )}
    </fieldset>
  );
}

export function Properties({
  schema: { properties = {}, required = [] },
  value,
  onChange,
}: Pick<FieldProps, 'schema' | 'value' | 'onChange'>): preact.JSX.Element {
  const fields = isObject(value) ? value : {};
  return (
    <>
      {Object.entries(properties).map(([name, schema]) => (
        <SchemaField
          key={name}
          name={name}
          schema={schema}
          value={fields[name]}
          isRequired={required.includes(name)}
          onChange={(field) => onChange(withField(fields, name, field))}
        />
      ))}
    </>
  );
}

function Items({ name, schema: { items = {} }, value, onChange }: FieldProps): preact.JSX.Element {
  const list = Array.isArray(value) ? value : [];
  return (
    <>
      {list.map((item, index) => (
        <SchemaField
          key={index}
          name={`${name} ${index + 1}`}
          schema={items}
          value={item}
          isRequired={list.length === 1}
          onChange={(next) =>
            onChange(next === undefined ? list.toSpliced(index, 1) : list.with(index, next))
          }
        />
      ))}
      <button type="button" onClick={() => onChange([...list, beginning(items)])}>
        {`Add to ${name}`}
      </button>
    </>
  );
}

function Line({ name, schema, value, isRequired, onChange }: FieldProps): preact.JSX.Element {
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  const change = (text: string): void => {
    onChange(text === '' && !isRequired ? undefined : fieldOf(schema, text));
  };
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return (
    <label title={schema.description}>
      {isRequired ? `${name} *` : name}
      {schema.enum ? (
        <select value={text} onChange={({ currentTarget }) => change(currentTarget.value)}>
          {!isRequired && <option value="" />}
          {schema.enum.map((word) => (
            <option key={word}>{word}</option>
          ))}
        </select>
      ) : (
        <input
          value={text}
          inputMode={isNumber ? 'numeric' : undefined}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </label>
  );
}

function Check({ name, value, onChange }: FieldProps): preact.JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {name}
    </label>
  );
}

/** Free-form keys, edited as JSON. */
function Free({ name, value, onChange }: FieldProps): preact.JSX.Element {
  const change = (input: HTMLInputElement): void => {
    try {
      const given = input.value.trim();
      onChange(given === '' ? undefined : (JSON.parse(given) as Json));
      input.setCustomValidity('');
    } catch {
      input.setCustomValidity('This is no JSON.');
      input.reportValidity();
    }
  };
  return (
    <label>
      {`${name} (JSON)`}
      <input
        defaultValue={value === undefined ? '' : JSON.stringify(value)}
        placeholder='{"key": "value"}'
        onChange={({ currentTarget }) => change(currentTarget)}
      />
    </label>
  );
}
