import { unitOf, type ServiceConfig } from '../platform/config/config.js';
import { matchLanguage } from '../shared/languages.js';
import { CHANNELS, type MessageSettings } from './rules.js';

export function messageSettings(config: ServiceConfig, businessUnit: string): MessageSettings | null {
  const unit = unitOf(config, businessUnit);
  const channels = CHANNELS.filter((channel) => config[channel] !== undefined);
  if (!unit || channels.length === 0) return null;

  const { receipts = true, reminders = true } = unit.email ?? {};
  return { channels, receipts, reminders, language: matchLanguage(unit.locale ?? 'en') ?? 'en' };
}
