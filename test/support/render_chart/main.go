// Renders the templates of a Helm chart as Helm does, by Go's own templates, for machines without Helm. It has the functions
// that our chart uses; `toYaml` writes JSON, which is YAML.
//
//	go run main.go <chart> <what templates see, as JSON>
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

const helpers = "_helpers.tpl"

func main() {
	chart, seen := os.Args[1], map[string]any{}
	must(json.Unmarshal([]byte(os.Args[2]), &seen))
	templates := template.New("chart")
	templates.Funcs(functions(templates))
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	must(err)
	_, err = templates.ParseFiles(files...)
	must(err)
	for _, file := range files {
		name := filepath.Base(file)
		if name == helpers || !strings.HasSuffix(name, ".yaml") {
			continue
		}
		text, err := render(templates, name, seen)
		must(err)
		fmt.Printf("---\n%s\n", text)
	}
}

func functions(templates *template.Template) template.FuncMap {
	return template.FuncMap{
		"add":        func(a, b any) int { return number(a) + number(b) },
		"contains":   func(part, text string) bool { return strings.Contains(text, part) },
		"default":    func(other, value any) any { return either(value, other) },
		"fail":       func(reason string) (string, error) { return "", errors.New(reason) },
		"include":    func(name string, seen any) (string, error) { return render(templates, name, seen) },
		"int":        number,
		"list":       func(values ...any) []any { return values },
		"nindent":    nindent,
		"quote":      func(value any) (string, error) { return toJSON(fmt.Sprint(value)) },
		"required":   required,
		"toYaml":     toJSON,
		"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
		"trunc":      func(length int, text string) string { return text[:min(length, len(text))] },
	}
}

func render(templates *template.Template, name string, seen any) (string, error) {
	var out bytes.Buffer
	err := templates.ExecuteTemplate(&out, name, seen)
	return out.String(), err
}

func nindent(width int, text string) string {
	indent := "\n" + strings.Repeat(" ", width)
	return indent + strings.ReplaceAll(text, "\n", indent)
}

func required(reason string, value any) (any, error) {
	if either(value, nil) == nil {
		return nil, errors.New(reason)
	}
	return value, nil
}

func either(value, other any) any {
	if truth, _ := template.IsTrue(value); truth {
		return value
	}
	return other
}

func number(value any) int {
	var parsed float64
	fmt.Sscan(fmt.Sprint(value), &parsed)
	return int(parsed)
}

func toJSON(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
