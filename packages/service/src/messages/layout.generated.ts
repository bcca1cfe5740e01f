/** Compiled from layout.mjml by layout.test.ts. Do not edit. */
export const LAYOUT = `<!doctype html>
<html lang="{{lang}}" dir="{{direction}}" xmlns="http://www.w3.org/1999/xhtml" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<title>{{subject}}</title>
<!--[if !mso]><!-->
<meta http-equiv="X-UA-Compatible" content="IE=edge">
<!--<![endif]-->
<meta http-equiv="Content-Type" content="text/html; charset=UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style type="text/css">
#outlook a { padding:0; }
body { margin:0;padding:0;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%; }
table, td { border-collapse:collapse;mso-table-lspace:0pt;mso-table-rspace:0pt; }
img { border:0;height:auto;line-height:100%; outline:none;text-decoration:none;-ms-interpolation-mode:bicubic; }
p { display:block;margin:13px 0; }
</style>
<!--[if mso]>
<noscript>
<xml>
<o:OfficeDocumentSettings>
<o:AllowPNG/>
<o:PixelsPerInch>96</o:PixelsPerInch>
</o:OfficeDocumentSettings>
</xml>
</noscript>
<![endif]-->
<!--[if lte mso 11]>
<style type="text/css">
.mj-outlook-group-fix { width:100% !important; }
</style>
<![endif]-->
<style type="text/css">
@media only screen and (min-width:480px) {
.mj-column-per-100 { width:100% !important; max-width: 100%; }
}
</style>
<style media="screen and (min-width:480px)">
.moz-text-html .mj-column-per-100 { width:100% !important; max-width: 100%; }
</style>
<style type="text/css">
:root { color-scheme: light dark; supported-color-schemes: light dark; }
a { color: inherit; }
h1, .pad > div { text-wrap: pretty; }
.dark-logo { display: none; }
@media (max-width: 479px) {
.bar, .card { border-radius: 0 !important; }
.card > table > tbody > tr > td { padding: 24px 0 16px !important; }
.pad > div, .pad > table { padding: 0 !important; }
.pad { padding-left: 20px !important; padding-right: 20px !important; }
}
@media (prefers-color-scheme: dark) {
.page, .page > div { background-color: #10151c !important; }
.card, .card > table { background-color: #19212b !important; }
.ink, .ink div, .ink td { color: #f1f4f7 !important; }
.soft, .soft div, td.soft { color: #a9b5c2 !important; }
.line { border-color: #33404d !important; }
.bar, .bar > table, .button td { background-color: {{accentDark}} !important; }
.button a { background-color: {{accentDark}} !important; color: {{onAccentDark}} !important; }
.light-logo { display: none !important; }
.dark-logo { display: inline-block !important; }
}
[data-ogsc] .ink, [data-ogsc] .ink div, [data-ogsc] .ink td { color: #f1f4f7 !important; }
[data-ogsc] .soft, [data-ogsc] .soft div { color: #a9b5c2 !important; }
</style>
<meta name="color-scheme" content="light dark" />
<meta name="supported-color-schemes" content="light dark" />
</head>
<body  class="page" style="word-spacing:normal;background-color:#f4f6f9;">
<div style="display:none;font-size:1px;color:#ffffff;line-height:1px;max-height:0px;max-width:0px;opacity:0;overflow:hidden;">{{body}}</div>
<div
lang="{{lang}}" dir="{{direction}}" style="word-spacing:normal;background-color:#f4f6f9;"
>
<main>
<!--[if mso | IE]><table align="center" border="0" cellpadding="0" cellspacing="0" class="" role="presentation" style="width:560px;" width="560" ><tr><td style="line-height:0px;font-size:0px;mso-line-height-rule:exactly;"><![endif]-->
<div  style="margin:0px auto;max-width:560px;">
<table
align="center" border="0" cellpadding="0" cellspacing="0" role="presentation" style="width:100%;"
>
<tbody>
<tr>
<td
style="direction:{{direction}};font-size:0px;padding:24px 0 20px;text-align:center;"
>
<!--[if mso | IE]><table role="presentation" border="0" cellpadding="0" cellspacing="0"><tr><td class="" style="vertical-align:top;width:560px;" ><![endif]-->
<div
class="mj-column-per-100 mj-outlook-group-fix" style="font-size:0px;text-align:left;direction:{{direction}};display:inline-block;vertical-align:top;width:100%;"
>
<table
border="0" cellpadding="0" cellspacing="0" role="presentation" style="vertical-align:top;" width="100%"
>
<tbody>
<tr>
<td
align="{{start}}" class="pad ink" style="font-size:0px;padding:0 32px;word-break:break-word;"
>
<div
style="font-family:-apple-system, 'Segoe UI', Roboto, Inter, Helvetica, Arial, sans-serif;font-size:16px;font-weight:600;line-height:40px;text-align:{{start}};color:#17202b;"
>{{#logo}}<img class="{{class}}" src="{{url}}" alt="{{alt}}" height="{{height}}" style="display:inline-block;height:{{height}}px;max-width:220px;border-radius:{{radius}}px;vertical-align:middle;margin-{{end}}:12px" />{{/logo}}{{#darkLogo}}<!--[if !mso]><!--><img class="dark-logo" src="{{url}}" alt="{{alt}}" height="{{height}}" style="display:none;height:{{height}}px;max-width:220px;border-radius:{{radius}}px;vertical-align:middle;margin-{{end}}:12px" /><!--<![endif]-->{{/darkLogo}}{{#name}}<span style="vertical-align:middle">{{business}}</span>{{/name}}</div>
</td>
</tr>
</tbody>
</table>
</div>
<!--[if mso | IE]></td></tr></table><![endif]-->
</td>
</tr>
</tbody>
</table>
</div>
<!--[if mso | IE]></td></tr></table><table align="center" border="0" cellpadding="0" cellspacing="0" class="bar-outlook" role="presentation" style="width:560px;" width="560" bgcolor="{{accent}}" ><tr><td style="line-height:0px;font-size:0px;mso-line-height-rule:exactly;"><![endif]-->
<div  class="bar" style="background:{{accent}};background-color:{{accent}};margin:0px auto;max-width:560px;border-radius:14px 14px 0 0;overflow:hidden;">
<table
align="center" border="0" cellpadding="0" cellspacing="0" role="presentation" style="background:{{accent}};background-color:{{accent}};width:100%;border-collapse:separate;"
>
<tbody>
<tr>
<td
style="border-radius:14px 14px 0 0;direction:{{direction}};font-size:0px;padding:6px 0 0;text-align:center;"
>
<!--[if mso | IE]><table role="presentation" border="0" cellpadding="0" cellspacing="0"><tr></tr></table><![endif]-->
</td>
</tr>
</tbody>
</table>
</div>
<!--[if mso | IE]></td></tr></table><table align="center" border="0" cellpadding="0" cellspacing="0" class="card-outlook" role="presentation" style="width:560px;" width="560" bgcolor="#ffffff" ><tr><td style="line-height:0px;font-size:0px;mso-line-height-rule:exactly;"><![endif]-->
<div  class="card" style="background:#ffffff;background-color:#ffffff;margin:0px auto;max-width:560px;border-radius:0 0 14px 14px;overflow:hidden;">
<table
align="center" border="0" cellpadding="0" cellspacing="0" role="presentation" style="background:#ffffff;background-color:#ffffff;width:100%;border-collapse:separate;"
>
<tbody>
<tr>
<td
style="border-radius:0 0 14px 14px;direction:{{direction}};font-size:0px;padding:28px 0 24px;text-align:center;"
>
<!--[if mso | IE]><table role="presentation" border="0" cellpadding="0" cellspacing="0"><tr><td class="" style="vertical-align:top;width:560px;" ><![endif]-->
<div
class="mj-column-per-100 mj-outlook-group-fix" style="font-size:0px;text-align:left;direction:{{direction}};display:inline-block;vertical-align:top;width:100%;"
>
<table
border="0" cellpadding="0" cellspacing="0" role="presentation" style="vertical-align:top;" width="100%"
>
<tbody>
<tr>
<td
align="{{start}}" class="pad ink" style="font-size:0px;padding:0 32px;word-break:break-word;"
>
<div
style="font-family:-apple-system, 'Segoe UI', Roboto, Inter, Helvetica, Arial, sans-serif;font-size:18px;font-weight:600;line-height:26px;text-align:{{start}};color:#17202b;"
><h1 style="margin:0;font-size:18px;line-height:26px;font-weight:600">{{subject}}</h1></div>
</td>
</tr>
{{#amount}}
<tr>
<td
align="{{start}}" class="pad ink" style="font-size:0px;padding:0 32px;padding-top:8px;word-break:break-word;"
>
<div
style="font-family:-apple-system, 'Segoe UI', Roboto, Inter, Helvetica, Arial, sans-serif;font-size:40px;font-weight:700;letter-spacing:-0.5px;line-height:48px;text-align:{{start}};color:#17202b;"
>{{amount}}</div>
</td>
</tr>
<tr>
<td
align="{{start}}" class="pad soft" style="font-size:0px;padding:0 32px;padding-top:4px;word-break:break-word;"
>
<div
style="font-family:-apple-system, 'Segoe UI', Roboto, Inter, Helvetica, Arial, sans-serif;font-size:15px;line-height:22px;text-align:{{start}};color:#55616e;"
>{{date}}</div>
</td>
</tr>
{{/amount}}
<tr>
<td
align="{{start}}" class="pad ink" style="font-size:0px;padding:0 32px;padding-top:12px;word-break:break-word;"
>
<div
style="font-family:-apple-system, 'Segoe UI', Roboto, Inter, Helvetica, Arial, sans-serif;font-size:16px;line-height:24px;text-align:{{start}};color:#17202b;"
>{{body}}</div>
</td>
</tr>
<tr>
<td
align="left" class="pad" style="font-size:0px;padding:20px 32px 0;word-break:break-word;"
>
<table
cellpadding="0" cellspacing="0" width="100%" border="0" style="color:#000000;font-family:-apple-system, 'Segoe UI', Roboto, Inter, Helvetica, Arial, sans-serif;font-size:15px;line-height:22px;table-layout:auto;width:100%;border:none;"
>
{{#rows}}<tr>
<td class="soft line" align="{{start}}" style="padding:11px 0;padding-{{end}}:12px;border-top:1px solid #e3e8ed;color:#55616e;vertical-align:top;white-space:nowrap">{{label}}</td>
<td class="ink line" align="{{end}}" style="padding:11px 0;border-top:1px solid #e3e8ed;color:#17202b;vertical-align:top;word-break:break-word">{{value}}</td>
</tr>{{/rows}}
</table>
</td>
</tr>
{{#button}}
<tr>
<td
align="{{start}}" class="pad button" style="font-size:0px;padding:16px 32px 0;word-break:break-word;"
>
<table
border="0" cellpadding="0" cellspacing="0" role="presentation" style="border-collapse:separate;line-height:100%;"
>
<tbody>
<tr>
<td
align="center" bgcolor="{{accent}}" role="presentation" style="border:none;border-radius:10px;cursor:auto;mso-padding-alt:12px 24px;background:{{accent}};" valign="middle"
>
<a
href="{{url}}" style="display:inline-block;background:{{accent}};color:{{onAccent}};font-family:-apple-system, 'Segoe UI', Roboto, Inter, Helvetica, Arial, sans-serif;font-size:16px;font-weight:600;line-height:24px;margin:0;text-decoration:none;text-transform:none;padding:12px 24px;mso-padding-alt:0px;border-radius:10px;" target="_blank"
>
{{text}}
</a>
</td>
</tr>
</tbody>
</table>
</td>
</tr>
{{/button}}
</tbody>
</table>
</div>
<!--[if mso | IE]></td></tr></table><![endif]-->
</td>
</tr>
</tbody>
</table>
</div>
<!--[if mso | IE]></td></tr></table><table align="center" border="0" cellpadding="0" cellspacing="0" class="" role="presentation" style="width:560px;" width="560" ><tr><td style="line-height:0px;font-size:0px;mso-line-height-rule:exactly;"><![endif]-->
<div  style="margin:0px auto;max-width:560px;">
<table
align="center" border="0" cellpadding="0" cellspacing="0" role="presentation" style="width:100%;"
>
<tbody>
<tr>
<td
style="direction:{{direction}};font-size:0px;padding:20px 0 32px;text-align:center;"
>
<!--[if mso | IE]><table role="presentation" border="0" cellpadding="0" cellspacing="0"><tr><td class="" style="vertical-align:top;width:560px;" ><![endif]-->
<div
class="mj-column-per-100 mj-outlook-group-fix" style="font-size:0px;text-align:left;direction:{{direction}};display:inline-block;vertical-align:top;width:100%;"
>
<table
border="0" cellpadding="0" cellspacing="0" role="presentation" style="vertical-align:top;" width="100%"
>
<tbody>
<tr>
<td
align="{{start}}" class="pad soft" style="font-size:0px;padding:0 32px;word-break:break-word;"
>
<div
style="font-family:-apple-system, 'Segoe UI', Roboto, Inter, Helvetica, Arial, sans-serif;font-size:13px;line-height:20px;text-align:{{start}};color:#55616e;"
>{{business}}{{#links}}&nbsp;&nbsp;&nbsp; <a href="{{url}}" style="color:inherit;display:inline-block">{{text}}</a>{{/links}}</div>
</td>
</tr>
</tbody>
</table>
</div>
<!--[if mso | IE]></td></tr></table><![endif]-->
</td>
</tr>
</tbody>
</table>
</div>
<!--[if mso | IE]></td></tr></table><![endif]-->
</main>
</div>
</body>
</html>`;
