import { Component, provideZoneChangeDetection, signal } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { define, payInModal } from '../../loader';
import { PayComponent } from './pay.generated';

define();

@Component({
  selector: 'app-root',
  imports: [PayComponent],
  template: `
    <h1>Bill</h1>
    <button type="button" (click)="pay()">Pay in a modal</button>
    <output>{{ status() }}</output>
    <app-pay />
  `,
})
class AppComponent {
  readonly status = signal('');

  async pay(): Promise<void> {
    this.status.set(await payInModal());
  }
}

void bootstrapApplication(AppComponent, { providers: [provideZoneChangeDetection()] });
