import type { SiteView } from './site.js';

export function Activity({ activity }: { activity: SiteView['activity'] }) {
  return (
    <section className="card stack" aria-labelledby="activity-title">
      <h2 id="activity-title">Activity</h2>
      <table>
        <tbody>
          {activity.map(({ id, label, details, amount }) => (
            <tr key={id}>
              <th scope="row">
                {label}
                <div className="muted">{details}</div>
              </th>
              <td>{amount}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
